import type { AuctionStatus } from '../../../drizzle/schema.ts';

export interface DemoAuction {
  uuid: string;
  name: string;
  status: AuctionStatus;
  registrationCode?: string;
}

export const demoAuctions: DemoAuction[] = [
  { uuid: 'a0000000-0000-4000-8000-000000000001', name: 'pürasid.ee', status: 'started' },
  { uuid: 'a0000000-0000-4000-8000-000000000002', name: 'õunaaed.ee', status: 'started' },
  { uuid: 'a0000000-0000-4000-8000-000000000003', name: 'rannamaja.ee', status: 'started' },
  { uuid: 'a0000000-0000-4000-8000-000000000004', name: 'kohvikann.ee', status: 'started' },
  { uuid: 'a0000000-0000-4000-8000-000000000005', name: 'metsamoor.ee', status: 'started' },
  { uuid: 'a0000000-0000-4000-8000-000000000006', name: 'jalgratas24.ee', status: 'started' },
  { uuid: 'a0000000-0000-4000-8000-000000000007', name: 'žürii.ee', status: 'started' },
  {
    uuid: 'a0000000-0000-4000-8000-000000000011',
    name: 'leivapood.ee',
    status: 'awaiting_payment',
  },
  { uuid: 'a0000000-0000-4000-8000-000000000012', name: 'vihmavari.ee', status: 'no_bids' },
  {
    uuid: 'a0000000-0000-4000-8000-000000000013',
    name: 'suveöö.ee',
    status: 'payment_received',
    registrationCode: 'd3e0c0de4d5f60718293a4b5c6d7e8f9',
  },
  {
    uuid: 'a0000000-0000-4000-8000-000000000014',
    name: 'puukool.ee',
    status: 'payment_not_received',
  },
  {
    uuid: 'a0000000-0000-4000-8000-000000000015',
    name: 'saunamaja.ee',
    status: 'domain_registered',
  },
  {
    uuid: 'a0000000-0000-4000-8000-000000000016',
    name: 'vanalinn.ee',
    status: 'domain_not_registered',
  },
];

/** Towns, counties and the state. */
export const reservedNames = [
  'tallinn.ee',
  'tartu.ee',
  'narva.ee',
  'pärnu.ee',
  'viljandi.ee',
  'rakvere.ee',
  'kuressaare.ee',
  'haapsalu.ee',
  'võru.ee',
  'põlva.ee',
  'jõgeva.ee',
  'jõhvi.ee',
  'kärdla.ee',
  'türi.ee',
  'harjumaa.ee',
  'hiiumaa.ee',
  'saaremaa.ee',
  'setomaa.ee',
  'riigikogu.ee',
  'riigikohus.ee',
  'valitsus.ee',
  'president.ee',
  'päästeamet.ee',
  'kaitsevägi.ee',
];

/** What would be mistaken for a part of the Internet's own machinery. */
export const blockedNames = [
  'arpa.ee',
  'autoconfig.ee',
  'broadcasthost.ee',
  'com.ee',
  'dns.ee',
  'domeen.ee',
  'epp.ee',
  'example.ee',
  'ftp.ee',
  'hostmaster.ee',
  'invalid.ee',
  'isatap.ee',
  'localhost.ee',
  'nic.ee',
  'näidis.ee',
  'postmaster.ee',
  'rdap.ee',
  'test.ee',
  'whois.ee',
  'wpad.ee',
  'www.ee',
  'ülemdomeen.ee',
];

/** Names, with the first and last day of their dispute. */
export const demoDisputes: [name: string, firstDay: string, lastDay: string][] = [
  ...[
    'karukell.ee',
    'kullakera.ee',
    'kuressaare.ee',
    'lõunatuul.ee',
    'merevaik24.ee',
    'mustikas.ee',
    'nutilahendus.ee',
    'parimpakkumine.ee',
    'põhjanael.ee',
    'rohelinemaja.ee',
    'sinilill.ee',
    'talupood.ee',
    'tuulik.ee',
    'vikerkaar.ee',
    'ööbik.ee',
    'äripäevik.ee',
  ].map((name): [string, string, string] => [name, '2025-02-03', '2999-12-31']),
  // Over, and not begun: on no list, for ever.
  ['lepatriinu.ee', '2019-05-06', '2020-05-06'],
  ['tulevik.ee', '2999-01-01', '2999-12-31'],
];
