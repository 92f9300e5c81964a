import type { ContactStatus, DiscloseableAttribute } from '../../../drizzle/schema.ts';
import type { Identity } from '../../contact/identity.ts';

export interface DemoContact {
  uuid: string;
  /** Behind the registrar's prefix. */
  suffix: string;
  name: string;
  orgName?: string;
  email: string;
  phone: string;
  fax?: string;
  /** Type, country, code. */
  identity: [Identity['type'], string, string];
  /** Street, city, zip, country. */
  address: [string, string, string, string];
  state?: string;
  statuses?: ContactStatus[];
  statusNotes?: Record<string, string>;
  disclosedAttributes?: DiscloseableAttribute[];
  legacyId?: string;
}

/** The person whom the examples speak of: EE 38001085718, a client of both registrars. */
const tamm = {
  name: 'Jaan Tamm',
  identity: ['priv', 'EE', '38001085718'],
  address: ['Telliskivi 60a', 'Tallinn', '10412', 'EE'],
} satisfies Partial<DemoContact>;

export const alphaContacts: DemoContact[] = [
  {
    ...tamm,
    uuid: 'c0000000-0000-4000-8000-000000000001',
    suffix: 'TAMM',
    email: 'jaan.tamm@example.com',
    phone: '+372.55501001',
    disclosedAttributes: ['name'],
  },
  {
    ...tamm,
    uuid: 'c0000000-0000-4000-8000-000000000002',
    suffix: 'TAMM-WORK',
    orgName: 'Tammepuu OÜ',
    email: 'jaan@tammepuu.example',
    phone: '+372.55501002',
    fax: '+372.6501002',
    legacyId: '100472',
  },
  {
    uuid: 'c0000000-0000-4000-8000-000000000003',
    suffix: 'TAMMEPUU',
    name: 'Tammepuu OÜ',
    email: 'info@tammepuu.example',
    phone: '+372.6501000',
    fax: '+372.6501002',
    identity: ['org', 'EE', '12045675'],
    address: ['Telliskivi 60a', 'Tallinn', '10412', 'EE'],
    legacyId: '100471',
  },
  {
    uuid: 'c0000000-0000-4000-8000-000000000004',
    suffix: 'MAASIKAS',
    name: 'Mari Maasikas',
    email: 'mari.maasikas@example.com',
    phone: '+372.55501004',
    identity: ['priv', 'EE', '48703146529'],
    address: ['Rüütli 12–4', 'Tartu', '51007', 'EE'],
  },
  {
    uuid: 'c0000000-0000-4000-8000-000000000005',
    suffix: 'SAAR',
    name: 'Kristjan Saar',
    email: 'kristjan.saar@example.com',
    phone: '+372.55501005',
    identity: ['priv', 'EE', '39112052712'],
    address: ['Supeluse 3', 'Pärnu', '80010', 'EE'],
  },
  {
    uuid: 'c0000000-0000-4000-8000-000000000006',
    suffix: 'SEPP',
    name: 'Tiina Sepp',
    email: 'tiina.sepp@example.com',
    phone: '+372.55501006',
    identity: ['priv', 'EE', '47608290041'],
    address: ['Lossi 20', 'Viljandi', '71004', 'EE'],
    statuses: ['clientDeleteProhibited'],
    statusNotes: { clientDeleteProhibited: 'Kept at the client’s request' },
  },
  {
    uuid: 'c0000000-0000-4000-8000-000000000007',
    suffix: 'POLD',
    name: 'Õnne Põld',
    email: 'onne.pold@example.com',
    phone: '+372.55501007',
    identity: ['priv', 'EE', '60102170248'],
    address: ['Jüri 19a', 'Võru', '65605', 'EE'],
    statuses: ['serverUpdateProhibited'],
    statusNotes: { serverUpdateProhibited: 'Identity under review' },
  },
  {
    uuid: 'c0000000-0000-4000-8000-000000000008',
    suffix: 'LAINE',
    name: 'Laine Disain OÜ',
    email: 'tere@lainedisain.example',
    phone: '+372.6501008',
    identity: ['org', 'EE', '14982136'],
    address: ['Rannarootsi tee 1', 'Haapsalu', '90507', 'EE'],
    state: 'Läänemaa',
  },
  {
    uuid: 'c0000000-0000-4000-8000-000000000009',
    suffix: 'NORDWIND',
    name: 'Nordwind Handels GmbH',
    email: 'kontakt@nordwind.example',
    phone: '+49.4055501009',
    identity: ['org', 'DE', 'HRB 148217'],
    address: ['Große Elbstraße 42', 'Hamburg', '22767', 'DE'],
  },
  {
    uuid: 'c0000000-0000-4000-8000-000000000010',
    suffix: 'BERZINA',
    name: 'Ilze Bērziņa',
    email: 'ilze.berzina@example.com',
    phone: '+371.25501010',
    identity: ['priv', 'LV', '11078511235'],
    address: ['Brīvības iela 55', 'Rīga', 'LV-1010', 'LV'],
  },
  {
    uuid: 'c0000000-0000-4000-8000-000000000011',
    suffix: 'VIRTANEN',
    name: 'Aino Virtanen',
    email: 'aino.virtanen@example.com',
    phone: '+358.405501011',
    identity: ['priv', 'FI', '140382-228Y'],
    address: ['Hämeentie 31', 'Helsinki', '00500', 'FI'],
  },
  {
    uuid: 'c0000000-0000-4000-8000-000000000012',
    suffix: 'OBRIEN',
    name: 'Siobhán O’Brien',
    email: 'siobhan.obrien@example.com',
    phone: '+353.855501012',
    identity: ['birthday', 'IE', '1985-07-24'],
    address: ['14 Capel Street', 'Dublin', 'D01 X5P2', 'IE'],
  },
  {
    uuid: 'c0000000-0000-4000-8000-000000000013',
    suffix: 'TANAKA',
    name: '田中 由紀',
    email: 'yuki.tanaka@example.com',
    phone: '+81.9055501013',
    identity: ['birthday', 'JP', '1992-11-03'],
    address: ['神南1-2-3', '渋谷区', '150-0041', 'JP'],
    state: '東京都',
  },
  {
    uuid: 'c0000000-0000-4000-8000-000000000014',
    suffix: 'KUUSK',
    name: 'Rein Kuusk',
    email: 'rein.kuusk@example.com',
    phone: '+372.55501014',
    identity: ['priv', 'EE', '36504302203'],
    address: ['Pikk 9', 'Rakvere', '44307', 'EE'],
  },
];

export const betaContacts: DemoContact[] = [
  {
    ...tamm,
    uuid: 'c0000000-0000-4000-8000-000000000101',
    suffix: 'TAMM',
    email: 'jaan.tamm@example.org',
    phone: '+372.55501001',
  },
  {
    uuid: 'c0000000-0000-4000-8000-000000000102',
    suffix: 'LEPIK',
    name: 'Katrin Lepik',
    email: 'katrin.lepik@example.org',
    phone: '+372.55501102',
    identity: ['priv', 'EE', '49311220846'],
    address: ['Tallinna 21', 'Kuressaare', '93811', 'EE'],
  },
  {
    uuid: 'c0000000-0000-4000-8000-000000000103',
    suffix: 'HIIU',
    name: 'Hiiu Kalatööstus AS',
    email: 'kontor@hiiukala.example',
    phone: '+372.4631103',
    identity: ['org', 'EE', '10113981'],
    address: ['Sadama 13', 'Kärdla', '92411', 'EE'],
  },
  {
    uuid: 'c0000000-0000-4000-8000-000000000104',
    suffix: 'ANDERSEN',
    name: 'Freja Andersen',
    email: 'freja.andersen@example.org',
    phone: '+45.25501104',
    identity: ['birthday', 'DK', '1978-02-19'],
    address: ['Vesterbrogade 77', 'København', '1620', 'DK'],
  },
];

/** Domains and the suffixes of their contacts, which are the registrar's own. */
export const demoDomains = [
  { name: 'tammepuu.ee', registrar: 'ALPHA', registrant: 'TAMMEPUU', admin: 'SAAR', tech: 'SAAR' },
  { name: 'hiiukala.ee', registrar: 'BETA', registrant: 'HIIU', admin: 'LEPIK', tech: 'LEPIK' },
] as const;
