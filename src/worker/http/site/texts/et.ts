import { type NameStatus, publicLists, retainedList } from '../../../../list/lists.ts';
import type { Texts } from './en.ts';
import { dayFormat, enumerated } from './format.ts';

const number = (count: number) => count.toLocaleString('et');
const counted = (one: string, many: string) => (count: number) =>
  `${number(count)} ${count === 1 ? one : many}`;

const date = dayFormat('et', { day: 'numeric', month: 'numeric', year: 'numeric' });

const states = {
  reserved: 'reserveeritud',
  blocked: 'blokeeritud',
  disputed: 'vaidlustatud',
  auction: 'oksjonil',
} satisfies Record<NameStatus, string>;
const anyState = enumerated(Object.values(states), 'või');
const retained = publicLists[retainedList].entries.map((status) => states[status]);

export const et: Texts = {
  languageName: 'Eesti keeles',
  number,
  shortDate: date,
  month: dayFormat('et', { month: 'long', year: 'numeric' }),
  instant: (day, time) => `${date(day)} kell\u00a0${time.replace(':', '.')}\u00a0(UTC)`,
  list: (words) => enumerated(words, 'ja'),

  siteName: 'Registry Edge',
  description: `Kontrolli, kas domeeninimi on ${anyState}, ja vaata kõiki käimasolevaid oksjoneid.`,
  skip: 'Otse sisu juurde',
  sections: 'Sellel lehel',
  short: { auctions: 'Oksjonid', retained: 'Nimed', year: 'Aasta', developers: 'Arendajale' },
  languages: 'Dokumentatsioon ja keel',
  reference: 'Dokumentatsioon',
  guide: 'Juhend (inglise keeles)',

  heading: 'Domeeninime kontroll',
  lead: `Kas nimi on ${anyState}?`,
  nameLabel: 'Domeeninimi',
  nameHint: 'Kogu nimi koos lõpuga, näiteks näidis.ee; sobib ka punycode.',
  check: 'Kontrolli',
  asOf: 'Mis olekus oli nimi päeva lõpus (UTC)?',
  show: 'Näita',
  dayFaults: {
    notDay: 'See ei ole päev: kirjuta aasta, kuu ja päev, näiteks 2026-01-31.',
    notOver: 'See päev ei ole UTC järgi veel läbi.',
  },
  wrongName: (given, fault) => `„${given}“ ei ole domeeninimi: ${fault}.`,
  nameFaults: {
    invisible: 'nimes on tühik või juhtmärk',
    finalDot: 'lõpus on punkt; jäta see ära',
    emptyLabel: 'kaks punkti on kõrvuti või nimi algab punktiga',
    noDot: 'punkti ei ole: nimi registreeritakse tippdomeeni alla',
    malformedPunycode: 'punycode on vigane',
    underscore: 'nimes on allkriips, mida domeeninimes olla ei saa',
    character: 'nimes on märk, mida domeeninimes olla ei saa',
    outerHyphen: 'nimi või selle osa algab või lõpeb sidekriipsuga',
    combiningMark: 'nimi või selle osa algab kombineeruva märgiga',
    innerHyphens: 'nime või selle osa kolmas ja neljas märk on sidekriipsud',
    digits: 'nime lõpp koosneb ainult numbritest',
    longLabel: 'nime osa on punycode’i kujul pikem kui 63 märki',
    longName: 'nimi on punycode’i kujul pikem kui 253 märki',
  },
  error: 'Viga',
  isNow: (words) => `on ${words}`,
  isUnlisted: 'ei ole üheski nimekirjas',
  isForeign: 'ei ole selle registri nimi',
  isBelow: (name) => `kuulub nime ${name} alla`,
  states,
  unlisted: `Nimi ei ole ${enumerated(Object.values(states), 'ega')}. Kas seda saab registreerida, nimekirjad ei näita: nimi võib olla juba registreeritud või oksjonil müüdud, aga võitja ei ole seda veel registreerinud. Küsi registripidajalt.`,
  foreign: (zones) => `Selles registris on ainult nimed lõpuga ${enumerated(zones, 'või')}.`,
  below: 'Seda eraldi ei registreerita: selle üle otsustab kõrgema taseme nime omanik.',
  checkInstead: (name) => `Kontrolli nime ${name}`,
  meanings: {
    blocked: 'Seda nime ei saa keegi registreerida.',
    disputed: 'Selle nime üle käib vaidlus. Kuni see kestab, nime ei registreerita ega anta üle.',
    auction:
      'Nime saab endale parim pakkuja. Kui soovid seda nime, tee pakkumine oksjonikeskkonnas, kuni oksjon kestab.',
    reserved:
      'Register hoiab seda nime kinni. Registreerida saab selle ainult registri nõusolekul, reserveeritud nimede korra järgi.',
  },
  several: 'Kõik see kehtib korraga:',
  asJson: 'Sama JSON-ina',
  history: 'Ajalugu',
  noHistory: 'Selle nime kohta ei ole midagi kirjas.',
  historyAsJson: 'Ajalugu JSON-ina, sekundi täpsusega',
  until: 'kuni',
  now: 'praegu',
  wasOn: (day, words) => `Registri andmetel oli nimi päeva ${day} lõpus ${words}.`,
  mayHaveBeenOn: (day, words) => `Kas nimi oli päeva ${day} lõpus ${words}, ei ole enam teada.`,
  wasUnlistedOn: (day) => `Registri andmetel ei olnud nimi päeva ${day} lõpus üheski nimekirjas.`,
  isBehind: 'Nimekirjad ei ole praegu ajakohased: viimased muudatused võivad puududa.',
  noAnswer: 'Nimekirju ei saa praegu lugeda. Proovi minuti pärast uuesti.',

  auctions: 'Käimasolevad oksjonid',
  auctionCount: counted('oksjon', 'oksjonit'),
  published: (instant) => `Avaldatud ${instant}`,
  filter: 'Filtreeri',
  filterLabel: 'Osa nimest',
  matching: (count, all) => `${count} / ${all}`,
  noMatch: 'Sobivaid oksjoneid ei ole.',
  noAuctions: 'Praegu ei ole ühtegi oksjonit.',
  name: 'Nimi',
  punycode: 'Punycode',
  length: 'Pikkus',
  all: 'Näita kõiki',
  previous: 'Eelmised',
  next: 'Järgmised',
  first: 'Algusesse',
  pageOf: (page, pages) => `Leht ${number(page)} / ${number(pages)}`,
  auctionPages: 'Oksjonite lehed',

  retained: 'Piirangutega nimed',
  retainedLead: `Nimed, mis on ${enumerated(retained, 'või')}.`,
  letters: 'Esimene märk',
  alphabet: 'abcdefghijklmnopqrsšzžtuvwõäöüxy0123456789',
  startsLabel: 'Nime algus',
  search: 'Otsi',
  startingWith: (starts) => `Nimed algusega „${starts}“`,
  afterName: (name) => `pärast nime ${name}`,
  fromStart: 'Nimekirja esimesed nimed',
  noNames: 'Sellise algusega piirangutega nimesid ei ole.',
  noRetained: 'Piirangutega nimesid ei ole.',
  noMore: 'Rohkem nimesid ei ole.',
  status: 'Olek',
  retainedPages: 'Nimede lehed',

  year: 'Viimane aasta',
  yearLead:
    'Nimede ja oksjonite arv avalikes nimekirjades, iga päeva kohta üks punkt; pealkirja kõrval on viimase loenduse arv. Igal graafikul on oma mõõtkava.',
  chartTitle: (list, from, to) => `${list}, ${from}–${to}`,
  chartDescription: (first, last, lowest, highest) =>
    `Alguses ${first}, lõpus ${last}; väikseim ${lowest}, suurim ${highest}. Kõik päevad on allpool tabelis.`,
  asTable: 'Samad arvud tabelina',
  day: 'Päev',
  noYear: 'Arvud puuduvad. Neid kogutakse kord päevas.',

  developers: 'Arendajale',
  developersLead: 'Nimekirjad on avatud igale programmile; võtit ei ole vaja.',
  openapi: 'OpenAPI-kirjeldus',
  address: 'Aadress',
  content: 'Sisu',
  lists: {
    auctions: 'Käimasolevad oksjonid',
    all: 'Kõik piirangutega nimed',
    reserved: 'Reserveeritud nimed',
    blocked: 'Blokeeritud nimed',
    disputed: 'Vaidlustatud nimed',
  },
  oneName: 'Üks nimi',
  nameHistory: 'Mis olekus nimi oli, ja millal',
  pastDay: 'Nimekiri päeva lõpu seisuga',
  changes: 'Mis on muutunud võrreldes sinu nimekirjaga',
  tryIt: 'Proovi:',
  copy: 'Kopeeri',
  copied: 'Kopeeritud',

  notNow: 'Seda ei saa praegu näidata. Proovi minuti pärast uuesti.',
  notFound: 'Sellist lehte ei ole',
  notFoundText: 'Aadressis võib olla viga või on leht mujale viidud.',
  failed: 'Midagi läks valesti',
  failedText: (requestId) =>
    `Lehte ei õnnestunud koostada. Proovi minuti pärast uuesti; kui viga kordub, teata registrile see tunnus: ${requestId}.`,
  throttled: 'Liiga palju päringuid',
  throttledText: 'Sinu võrgust tuleb väga palju päringuid. Proovi minuti pärast uuesti.',
  refused: 'Pole lubatud',
  refusedText: 'Seda lehte saab ainult lugeda.',
  toStart: 'Avalehele',
  footer: 'Kõik kellaajad on UTC järgi. See leht ei kasuta küpsiseid.',
  policies: {
    verification: 'Kuidas registreerimisandmeid kontrollitakse',
    access: 'Kes võib registreerimisandmeid saada',
  },
};
