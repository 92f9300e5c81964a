import { type Cost, cost, counted } from '../support/counted.ts';
import {
  addAuction,
  addContact,
  addRegistrar,
  bearer,
  newContact,
  send,
} from '../support/fixtures.ts';
import { seedRegistrar } from '../support/seed.ts';
import { atMost, type Figure, stated } from './figure.ts';
import { edgeHeaders } from './load.ts';
import { builtWorker, type Runtime, service, startRuntime } from './runtime.ts';

const list = '/repp/v1/contacts';

/** The searches of a registrar among the contacts of `seedRegistrar`. The dearest first: every contact matches. */
const searches = {
  'name, all': 'name=mari',
  'name, one in a thousand': 'name=mari%20maasikas%20777',
  'name and status': 'name=mari%20maasikas%201&status=pendingDelete',
  country: 'ident_country_code=EE',
  'country, none': 'ident_country_code=LV',
  status: 'status=pendingDelete',
  email: 'email=mari7@example.ee',
  ident: 'ident=00000007',
  'changes, all': 'updated_since=2026-01-01',
  'changes, with a country': 'updated_since=2026-01-01&ident_country_code=EE',
  'changes, none': 'updated_since=2026-02-01',
  'country and linked, none': 'ident_country_code=EE&status=linked',
  'country and name, all': 'ident_country_code=EE&name=mari',
  'six filters':
    'ident_country_code=EE&name=mari&updated_since=2026-01-01&status=ok&email=mari7@example.ee&ident=00000007',
  'country, all, at offset 9800': 'ident_country_code=EE&offset=9800',
} as const;

/** The round trips and rows of calls, with up to a million contacts. */
export async function costs(): Promise<Figure[]> {
  const runtime = await startRuntime([]);
  try {
    return [...(await roundTrips(runtime)), ...(await rowsRead(runtime))];
  } finally {
    await runtime.stop();
  }
}

async function roundTrips({ env, url }: Runtime): Promise<Figure[]> {
  const bindings = counted(env, await builtWorker());
  const registrar = await addRegistrar(env);
  const contact = await addContact(env, registrar, { ident: '37605030299' });
  const auction = await addAuction(env);
  const path = `${list}/${contact.code}`;
  const ofPerson = '/api/v1/registrant/contacts';
  const person = {
    authorization: await bearer({ fetch: atService(url) }, contact.ident),
  };
  const once = () => ({ 'Idempotency-Key': crypto.randomUUID() });
  const trips = async (calls: [path: string, init?: RequestInit][]) => {
    const measured: number[] = [];
    for (const [path, init] of calls) {
      const { answer, status } = await cost(bindings, path, init);
      if (status !== 200) throw new Error(`${path}: ${status}`);
      measured.push(answer.d1RoundTrips ?? 0);
    }
    return Math.max(...measured);
  };
  const reads = await trips([
    [list, send('GET', registrar)],
    [`${list}?details=true`, send('GET', registrar)],
    [`${list}?details=true&offset=1`, send('GET', registrar)],
    [path, send('GET', registrar)],
    [`${path}/history`, send('GET', registrar)],
    [`${list}/check/free`, send('GET', registrar)],
    [ofPerson, send('GET', person)],
    [`${ofPerson}/${contact.uuid}`, send('GET', person)],
    [`${ofPerson}/${contact.uuid}/history`, send('GET', person)],
  ]);
  const report = { status: 'awaiting_payment' };
  const writes = await trips([
    [list, send('POST', registrar, { contact: newContact({ id: 'A' }) })],
    [list, send('POST', registrar, { contact: newContact({ id: 'B' }) }, once())],
    [path, send('PUT', registrar, { contact: { name: 'Jüri Tamm' } })],
    [path, send('PUT', registrar, { contact: { name: 'Jaan Tamm' } }, once())],
    [`${ofPerson}/${contact.uuid}`, send('PATCH', person, { name: 'Mari Maasikas' })],
    [`${ofPerson}/${contact.uuid}`, send('PATCH', person, { name: 'Mari Mets' }, once())],
    [path, send('DELETE', registrar)],
    [`/api/v1/auctions/${auction.uuid}`, send('PATCH', person, report)],
  ]);
  const created = await cost(
    bindings,
    list,
    send('POST', registrar, { contact: newContact({ id: 'C' }) }),
  );
  const code = `${list}/${registrar.code}:C`;
  const update = { contact: { name: 'Jüri Tamm' } };
  const updated = await cost(bindings, code, send('PUT', registrar, update));
  const deleted = await cost(bindings, code, send('DELETE', registrar));
  const written = ({ answer }: Cost) => answer.rowsWritten ?? 0;
  return [
    atMost('Round trips to D1, any read, login included', reads, '', 1),
    atMost('Round trips to D1, any write', writes, '', 2),
    stated('Rows written: create a contact', written(created), ''),
    stated('Rows written: update a contact', written(updated), ''),
    stated('Rows written: delete a contact', written(deleted), ''),
  ];
}

async function rowsRead({ env }: Runtime): Promise<Figure[]> {
  const bindings = counted(env, await builtWorker());
  const rows = async (registrar: { authorization: string }, query: string) => {
    const { answer, status } = await cost(bindings, `${list}?${query}`, send('GET', registrar));
    if (status !== 200) throw new Error(`${query}: ${status}`);
    return answer.rowsRead ?? 0;
  };
  const figures: Figure[] = [];
  for (const count of [1_000, 100_000, 1_000_000]) {
    const registrar = await seedRegistrar(env, count);
    const of = `Rows read: first page of ${count.toLocaleString('en')} contacts`;
    figures.push(
      atMost(`${of}, codes`, await rows(registrar, 'details=false'), '', 250),
      atMost(`${of}, details`, await rows(registrar, 'details=true'), '', 450),
    );
    for (const [name, query] of Object.entries(searches)) {
      const search = `Rows read: search of ${count.toLocaleString('en')} contacts: ${name}`;
      figures.push(atMost(search, await rows(registrar, `details=true&${query}`), '', 11_000));
    }
    if (count === 1_000_000) {
      const deep = await rows(registrar, 'details=true&offset=500000');
      figures.push(atMost('Rows read: page at offset 500,000 of 1,000,000', deep, '', 5_000));
    }
  }
  return figures;
}

function atService(url: Runtime['url']) {
  return (path: string, init: RequestInit) =>
    fetch(url(service, path), { ...init, headers: { ...edgeHeaders, ...init.headers } });
}
