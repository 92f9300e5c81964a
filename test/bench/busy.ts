import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { addAuction, addContact, addRegistrar, addSystem } from '../support/fixtures.ts';
import { type SeededRegistrar, seedRegistrar } from '../support/seed.ts';
import { atMost, type Figure, stated } from './figure.ts';
import { median } from './load.ts';
import { type Runtime, service, startRuntime } from './runtime.ts';

const writers = Number(process.env.N ?? 150);

interface Write {
  path: string;
  method: string;
  authorization: string;
  /** Another value for each writer. */
  body: (writer: number) => object;
  /** How the history names the row. */
  key: string;
}

/** Many writers at once to one row of each kind, and another registrar's page beside them. */
export async function busy(): Promise<Figure[]> {
  const runtime = await startRuntime([]);
  const agent = new Agent({ keepAlive: true, maxSockets: writers });
  try {
    const { DB } = runtime.env;
    const seeded = await seedRegistrar(runtime.env, 1_000);
    const { authorization } = seeded;
    const page = () =>
      send(runtime, agent, { path: '/repp/v1/contacts?details=true', authorization });
    const figures: Figure[] = [];
    for (const [what, write] of Object.entries(await rows(runtime, seeded))) {
      await timesOf(page, () => pause(500));
      const alone = median(await timesOf(page, () => pause(2_000)));
      const statuses = new Map<number, number>();
      const startedAt = performance.now();
      const times = await timesOf(page, async () => {
        const all = Array.from({ length: writers }, async (_, writer) => {
          const { status } = await send(runtime, agent, { ...write, body: write.body(writer) });
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        });
        await Promise.all(all);
      });
      const took = performance.now() - startedAt;
      const entries = await DB.prepare(
        "select count(*) from history where subject_key = ? and actor_type <> 'operator'",
      )
        .bind(write.key)
        .first<number>('count(*)');
      const succeeded = (statuses.get(200) ?? 0) + (statuses.get(201) ?? 0);
      console.error(what, Object.fromEntries(statuses));
      figures.push(
        stated(`${writers} writes to ${what}: all answered after`, took, 'ms'),
        atMost(`${what}: answers with 500`, statuses.get(500) ?? 0, '', 0),
        stated(`${what}: answers with 503`, statuses.get(503) ?? 0, ''),
        atMost(`${what}: lost or written twice`, Math.abs(entries! - succeeded), '', 0),
        atMost(`${what}: another registrar’s page`, median(times) / alone, '× alone', 5),
        stated(`${what}: the slowest page`, Math.max(...times) / alone, '× alone'),
      );
    }
    return figures;
  } finally {
    agent.destroy();
    await runtime.stop();
  }
}

async function rows({ env }: Runtime, other: SeededRegistrar): Promise<Record<string, Write>> {
  const registrar = await addRegistrar(env);
  const contact = await addContact(env, registrar);
  const auction = await addAuction(env, { status: 'awaiting_payment' });
  const { authorization } = await addSystem(env, ['domains', 'retained']);
  return {
    'one contact': {
      path: `/repp/v1/contacts/${contact.code}`,
      method: 'PUT',
      authorization: registrar.authorization,
      body: (writer) => ({ contact: { phone: `+372.${5_000_000 + writer}` } }),
      key: contact.code,
    },
    'one auction': {
      path: `/api/v1/auctions/${auction.uuid}`,
      method: 'PATCH',
      authorization: '',
      body: (writer) => ({ platform: `platform ${writer}` }),
      key: auction.name,
    },
    'one reservation': {
      path: '/api/v1/internal/retained_domains/busy.ee/reserved',
      method: 'PUT',
      authorization,
      body: (writer) => ({ password: `password ${writer}` }),
      key: 'busy.ee',
    },
    'one domain': {
      path: '/api/v1/internal/domains/busy-domain.ee',
      method: 'PUT',
      authorization,
      body: (writer) => ({
        domain: {
          registrar: other.code,
          registrant: `${other.code}:${(writer + 1).toString(16).toUpperCase().padStart(8, '0')}`,
          admin_contacts: [],
          tech_contacts: [],
        },
      }),
      key: 'busy-domain.ee',
    },
  };
}

/** The times of what is asked again and again until the work is done. */
async function timesOf(ask: () => Promise<unknown>, work: () => Promise<unknown>) {
  let isDone = false;
  const times: number[] = [];
  const asking = (async () => {
    while (!isDone) {
      const startedAt = performance.now();
      await ask();
      times.push(performance.now() - startedAt);
    }
  })();
  await work();
  isDone = true;
  await asking;
  return times;
}

function send(
  runtime: Runtime,
  agent: Agent,
  asked: { path: string; method?: string; authorization: string; body?: object },
): Promise<{ status: number }> {
  const { path, method = 'GET', authorization, body } = asked;
  const headers = {
    'CF-Connecting-IP': '127.0.0.1',
    'Content-Type': 'application/json',
    ...(authorization && { Authorization: authorization }),
  };
  return new Promise((resolve, reject) => {
    const url = runtime.url(service, path).href;
    const sent = request(url, { agent, method, headers }, (response) => {
      response.on('end', () => resolve({ status: response.statusCode! }));
      response.on('error', reject);
      response.resume();
    });
    sent.on('error', reject);
    sent.end(body && JSON.stringify(body));
  });
}
