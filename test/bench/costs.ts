import { cost, counted } from '../support/counted.ts';
import { send } from '../support/fixtures.ts';
import { seedRegistrar } from '../support/seed.ts';
import { atMost, type Figure } from './figure.ts';
import { builtWorker, type Runtime, startRuntime } from './runtime.ts';

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
  'mailbox, in two spellings': 'email=mari7@%C3%B5un.ee',
  'mailbox and name, none': 'email=mari7@example.ee&name=jaan',
} as const;

/** The rows that lists and searches read, with up to a million contacts. */
export async function costs(): Promise<Figure[]> {
  const runtime = await startRuntime([]);
  try {
    return await rowsRead(runtime);
  } finally {
    await runtime.stop();
  }
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
