import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { auctions } from '../../../drizzle/schema.ts';
import type { Env } from '../../../src/base/env.ts';
import { app } from '../../../src/worker/http/app.ts';
import { published, withMethods } from '../../list/published.ts';
import { answerOf, auctionClient } from '../../support/client.ts';
import { cost, counted } from '../../support/counted.ts';
import { addAuction } from '../../support/fixtures.ts';
import { auctionsOf, historyOf } from '../../support/stored.ts';
import { startWorker } from '../../support/worker.ts';

const worker = startWorker();
const centre = auctionClient(worker);

const code = 'd41d8cd98f00b204e9800998ecf8427e';
const paid = { status: 'payment_received', registrationCode: code } as const;

async function stored(uuid: string) {
  const [auction] = await worker.db.select().from(auctions).where(eq(auctions.uuid, uuid));
  return auction!;
}

/** The list in KV now, which the Worker may not have read yet. */
async function publishedNames(): Promise<string[]> {
  const { body } = await published(worker.env, 'auctions');
  return body.auctions.map(({ domain_name }: { domain_name: string }) => domain_name);
}

it('GET /api/v1/auctions lists the started auctions in the order of their start, in Unicode form', async () => {
  const later = await addAuction(worker.env, {
    name: 'pürasid.ee',
    punycode: 'xn--prasid-3ya.ee',
    createdAt: '2026-03-02T00:00:00.000Z',
  });
  const earlier = await addAuction(worker.env, { createdAt: '2026-03-01T00:00:00.000Z' });
  const ended = await addAuction(worker.env, { status: 'no_bids' });

  const response = await worker.fetch('/api/v1/auctions');

  expect(response.status).toBe(200);
  const listed = (await response.json()) as { id: string }[];
  const ours = [later.uuid, earlier.uuid, ended.uuid];
  expect(listed.filter(({ id }) => ours.includes(id))).toEqual([
    { id: earlier.uuid, domain: earlier.name, status: 'started' },
    { id: later.uuid, domain: 'pürasid.ee', status: 'started' },
  ]);
});

it('GET /api/v1/auctions is open to every address, with or without a trailing slash', async () => {
  const response = await worker.fetch('/api/v1/auctions/', {
    headers: { 'CF-Connecting-IP': '203.0.113.9' },
  });
  expect(response.status).toBe(200);
  expect(response.headers.get('Cache-Control')).toBe('private, no-store');
});

it('GET /api/v1/auctions/{uuid} shows the auction', async () => {
  const auction = await addAuction(worker.env, paid);
  expect(await answerOf(centre.read(auction.uuid))).toEqual({
    status: 200,
    body: { id: auction.uuid, domain: auction.name, status: 'payment_received' },
  });
});

it.each(['7cb4bb7b-8c5e-4d2c-9a3a-2f3f0f7a5d11', '%00', "x'--"])(
  '/api/v1/auctions/{uuid} answers 404 in the form of the auction centre for %s',
  async (uuid) => {
    for (const answer of [centre.read(uuid), centre.report(uuid, { status: 'no_bids' })]) {
      expect(await answerOf(answer)).toEqual({
        status: 404,
        body: { error: 'Not Found', uuid: decodeURIComponent(uuid), message: 'Record not found' },
      });
    }
  },
);

describe('PATCH /api/v1/auctions/{uuid}', () => {
  it('moves an auction that is not paid to its status, without a registration code', async () => {
    const auction = await addAuction(worker.env);
    const status = 'awaiting_payment';
    expect(await answerOf(centre.report(auction.uuid, { status }))).toEqual({
      status: 200,
      body: { id: auction.uuid, domain: auction.name, status, registration_code: null },
    });
    expect(await stored(auction.uuid)).toMatchObject({ status, version: 2 });
  });

  it('makes a registration code of 32 hexadecimal digits for each auction that is paid', async () => {
    const codes = new Set<string>();
    for (const _ of [1, 2, 3]) {
      const { uuid: id, name: domain } = await addAuction(worker.env);
      const status = 'payment_received';
      const { body } = await answerOf(centre.report(id, { status }));
      const registration_code = expect.stringMatching(/^[0-9a-f]{32}$/);
      expect(body).toEqual({ id, domain, status, registration_code });
      codes.add(body.registration_code);
    }
    expect(codes.size).toBe(3);
  });

  it('drops the registration code once the auction is no longer paid', async () => {
    const auction = await addAuction(worker.env, paid);
    const response = await centre.report(auction.uuid, { status: 'domain_not_registered' });
    expect(await response.json()).toMatchObject({ registration_code: null });
    expect(await stored(auction.uuid)).toMatchObject({ registrationCode: null });
  });

  it('makes a registration code for a paid auction of a former registry that has none', async () => {
    const auction = await addAuction(worker.env, { status: 'payment_received' });
    const report = () => centre.report(auction.uuid, { status: 'payment_received' });
    const { registration_code: made } = (await (await report()).json()) as Record<string, unknown>;
    expect(made).toMatch(/^[0-9a-f]{32}$/);
    expect(await (await report()).json()).toMatchObject({ registration_code: made });
  });

  it('reveals no registration code that a former registry left in another status', async () => {
    const auction = await addAuction(worker.env, { status: 'no_bids', registrationCode: code });
    const response = await centre.report(auction.uuid, { platform: 'english' });
    expect(await response.json()).toMatchObject({ registration_code: null });
  });

  it.each(['started', 'PAYMENT_RECEIVED', '', 1])(
    'refuses the status %j and changes nothing',
    async (status) => {
      const auction = await addAuction(worker.env);
      expect(await answerOf(centre.report(auction.uuid, { status }))).toEqual({
        status: 400,
        body: { errors: { status: ['is not included in the list'] } },
      });
      expect(await stored(auction.uuid)).toEqual(auction);
    },
  );

  it.each([{}, { status: null }, ''])('changes nothing with the body %j', async (report) => {
    const auction = await addAuction(worker.env, paid);
    expect(await answerOf(centre.report(auction.uuid, report))).toEqual({
      status: 200,
      body: {
        id: auction.uuid,
        domain: auction.name,
        status: 'payment_received',
        registration_code: code,
      },
    });
    expect(await stored(auction.uuid)).toEqual(auction);
    expect(await historyOf(worker.env, 'auction', auction)).toEqual([]);
  });

  it('leaves an auction that ended with the registration as it is when it is reported late', async () => {
    const sold = await addAuction(worker.env, { status: 'domain_registered' });
    const { uuid, name } = sold;
    const deadline = { registration_deadline: '2026-12-31' };
    const late = { status: 'payment_received', ...deadline, platform: 'blind' };
    expect(await answerOf(centre.report(uuid, late))).toEqual({
      status: 200,
      body: { id: uuid, domain: name, status: 'domain_registered', registration_code: null },
    });
    expect(await stored(uuid)).toEqual(sold);
    expect(await historyOf(worker.env, 'auction', { name })).toEqual([]);
  });

  it('from an address that is not on the list is refused, and changes nothing', async () => {
    const auction = await addAuction(worker.env);
    const from = { 'CF-Connecting-IP': '203.0.113.1' };
    const refused = {
      status: 401,
      body: { errors: { base: ['Access denied from IP 203.0.113.1'] } },
    };
    const report = { status: 'no_bids' };
    expect(await answerOf(centre.report(auction.uuid, report, from))).toEqual(refused);
    expect(await answerOf(centre.read(auction.uuid, from))).toEqual(refused);
    expect(await stored(auction.uuid)).toEqual(auction);
  });

  it('leaves no trace of a repeated status', async () => {
    const { uuid, name } = await addAuction(worker.env);
    const first = await centre.report(uuid, { status: 'payment_received' });
    const afterFirst = await stored(uuid);
    const second = await centre.report(uuid, { status: 'payment_received' });
    expect(await second.json()).toEqual(await first.json());
    expect(await stored(uuid)).toEqual(afterFirst);
    expect(await historyOf(worker.env, 'auction', { name })).toHaveLength(1);
  });

  it('records who reported what, and of the registration code only that it changed', async () => {
    const auction = await addAuction(worker.env);
    const response = await centre.report(
      auction.uuid,
      { status: 'payment_received' },
      { 'CF-Connecting-IP': '127.0.0.7' },
    );
    expect(await historyOf(worker.env, 'auction', auction)).toMatchObject([
      {
        subjectUuid: auction.uuid,
        action: 'update',
        actorType: 'auction_centre',
        actor: 'Auction centre 127.0.0.7',
        requestId: response.headers.get('X-Request-Id'),
        changes: {
          status: { from: 'started', to: 'payment_received' },
          registrationCode: { redacted: true },
        },
      },
    ]);
  });

  it('applies simultaneous reports one after the other', async () => {
    const { uuid, name } = await addAuction(worker.env);
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        centre.report(uuid, { status: index % 2 === 0 ? 'payment_received' : 'awaiting_payment' }),
      ),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(200));
    const recorded = await historyOf(worker.env, 'auction', { name });
    let status = 'started';
    for (const { changes } of recorded) {
      expect(changes.status).toMatchObject({ from: status });
      status = (changes.status as { to: string }).to;
    }
    expect(await stored(uuid)).toMatchObject({ status, version: recorded.length + 1 });
  });

  it('gives equal simultaneous reports the same registration code', async () => {
    const { uuid, name } = await addAuction(worker.env);
    const answers = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const response = await centre.report(uuid, { status: 'payment_received' });
        return ((await response.json()) as { registration_code: string }).registration_code;
      }),
    );
    expect(new Set(answers)).toEqual(new Set([(await stored(uuid)).registrationCode]));
    expect(await historyOf(worker.env, 'auction', { name })).toHaveLength(1);
  });

  it('publishes the list of auctions in progress', async () => {
    const [staying, ending] = [await addAuction(worker.env), await addAuction(worker.env)];
    await centre.report(ending.uuid, { status: 'no_bids' });
    await vi.waitFor(async () => {
      const names = await publishedNames();
      expect(names).toContain(staying.name);
      expect(names).not.toContain(ending.name);
    });
  });

  it('starts no new auction unless the operator says so', async () => {
    const { uuid, name } = await addAuction(worker.env);
    await centre.report(uuid, { status: 'payment_not_received' });
    await centre.report(uuid, { status: 'domain_not_registered' });
    expect(await auctionsOf(worker.env, { name })).toHaveLength(1);
  });
});

it.each([
  [' 2026-12-31 ', '2026-12-31'],
  ['2026-12-31T23:59:59.123+02:00', '2026-12-31T21:59:59.123Z'],
])('the registration_deadline %s is kept', async (given, kept) => {
  const { uuid } = await addAuction(worker.env, paid);
  const response = await centre.report(uuid, { registration_deadline: given });
  expect(response.status).toBe(200);
  expect(await stored(uuid)).toMatchObject({ registrationDeadline: kept, ...paid });
});

it.each(['2026-02-30', '2026-12-31T25:00:00Z', 20261231])(
  'the registration_deadline %j is refused',
  async (given) => {
    const auction = await addAuction(worker.env);
    expect(
      await answerOf(
        centre.report(auction.uuid, {
          status: 'no_bids',
          registration_deadline: given,
        }),
      ),
    ).toEqual({
      status: 400,
      body: { errors: { registration_deadline: ['is not an ISO 8601 date or date-time'] } },
    });
    expect(await stored(auction.uuid)).toEqual(auction);
  },
);

it('registration_deadline stays when a report does not mention it, and is cleared with null', async () => {
  const { uuid } = await addAuction(worker.env, { registrationDeadline: '2026-12-31' });
  await centre.report(uuid, { status: 'awaiting_payment' });
  expect(await stored(uuid)).toMatchObject({ registrationDeadline: '2026-12-31' });
  await centre.report(uuid, { registration_deadline: null });
  expect(await stored(uuid)).toMatchObject({ registrationDeadline: null });
});

it('registration_deadline leaves no trace when it is repeated', async () => {
  const { uuid, name } = await addAuction(worker.env);
  await centre.report(uuid, { registration_deadline: '2026-12-31T22:00:00Z' });
  await centre.report(uuid, { registration_deadline: '2027-01-01T00:00:00+02:00' });
  expect(await historyOf(worker.env, 'auction', { name })).toHaveLength(1);
});

it('the platform is kept, and is shown as a fourth field wherever the auction is', async () => {
  const { uuid, name } = await addAuction(worker.env);
  const shown = { id: uuid, domain: name, status: 'started', platform: 'english' };

  const reported = await centre.report(uuid, { platform: ' english ' });
  const one = await centre.read(uuid);
  const list = await worker.fetch('/api/v1/auctions');

  expect(await reported.text()).toBe(JSON.stringify({ ...shown, registration_code: null }));
  expect(await one.text()).toBe(JSON.stringify(shown));
  expect(await list.text()).toContain(JSON.stringify(shown));
});

it('the platform stays when a report does not mention it', async () => {
  const { uuid } = await addAuction(worker.env, { platform: 'english' });
  const response = await centre.report(uuid, { status: 'no_bids' });
  expect(await response.json()).toMatchObject({ platform: 'english' });
});

it.each([null, '', ' '])(
  'the platform is cleared with %j, and then not shown',
  async (platform) => {
    const { uuid, name } = await addAuction(worker.env, { platform: 'english' });
    await centre.report(uuid, { platform });
    expect(await (await centre.read(uuid)).json()).toEqual({
      id: uuid,
      domain: name,
      status: 'started',
    });
  },
);

it.each(['x'.repeat(51), 'a\u0000b', 1])('the platform %j is refused', async (platform) => {
  const auction = await addAuction(worker.env, { platform: 'english' });
  const cause = platform === 'a\u0000b' ? ': contains an invisible character (U+0000)' : '';
  expect(await answerOf(centre.report(auction.uuid, { status: 'no_bids', platform }))).toEqual({
    status: 400,
    body: { errors: { platform: [`is not a text of 1 to 50 characters${cause}`] } },
  });
  expect(await stored(auction.uuid)).toEqual(auction);
});

it('the platform has at most 50 characters, not bytes', async () => {
  const { uuid } = await addAuction(worker.env);
  const response = await centre.report(uuid, { platform: 'õ'.repeat(50) });
  expect(await response.json()).toMatchObject({ platform: 'õ'.repeat(50) });
});

describe('the list of the auctions in progress', () => {
  // An isolate's memory is fresh for as long as a test says.
  const noon = new Date('2026-05-05T12:00:00Z').getTime();
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: noon }));
  afterEach(() => void vi.useRealTimers());

  const path = '/api/v1/auctions';
  const report = (status: string) => ({
    method: 'PATCH',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ status }),
  });
  const listed = async (env: Env) => {
    const headers = { 'CF-Connecting-IP': '203.0.113.9' };
    const response = await app.request(path, { headers }, env, { waitUntil() {} } as never);
    return ((await response.json()) as { id: string }[]).map(({ id }) => id);
  };

  it('the list of the auctions in progress reads no row a second time within five seconds, and all again after that', async () => {
    const bindings = counted(worker.env);
    const { uuid } = await addAuction(worker.env);
    expect((await cost(bindings, path)).answer.d1RoundTrips).toBe(1);
    const repeat = [
      await cost(bindings, path),
      await cost(bindings, `${path}/`, { headers: { 'X-D1-Bookmark': 'any' } }),
    ];
    expect(repeat.map(({ status, answer }) => [status, answer])).toEqual([
      [200, {}],
      [200, {}],
    ]);
    const later = await addAuction(worker.env);
    vi.setSystemTime(noon + 4_999);
    expect(await listed(bindings.env)).not.toContain(later.uuid);
    vi.setSystemTime(noon + 5_000);
    expect(await listed(bindings.env)).toEqual(expect.arrayContaining([uuid, later.uuid]));
  });

  it('the list of the auctions in progress is read once for all who ask at the same time', async () => {
    const { env, counts } = counted(worker.env);
    const lists = await Promise.all([listed(env), listed(env), listed(env)]);
    expect(new Set(lists.map((list) => JSON.stringify(list))).size).toBe(1);
    expect(counts.d1RoundTrips).toBe(1);
  });

  it('the list of the auctions in progress answers all who ask at the same time in the runtime, where one request waits for another', async () => {
    const { uuid } = await addAuction(worker.env);
    await centre.report(uuid, { status: 'no_bids' });
    const answers = await Promise.all(Array.from({ length: 5 }, () => worker.fetch(path)));
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200));
    const texts = new Set(await Promise.all(answers.map((answer) => answer.text())));
    expect(texts.size).toBe(1);
    expect([...texts][0]).not.toContain(uuid);
  });

  it('the list of the auctions in progress is read again after a failure', async () => {
    const { env } = counted(worker.env);
    let isFailing = true;
    const DB: D1Database = withMethods(env.DB, {
      prepare(query: string) {
        if (isFailing) throw new Error('D1_ERROR: D1 DB is overloaded.');
        return env.DB.prepare(query);
      },
    });
    const headers = { 'CF-Connecting-IP': '203.0.113.9' };
    const context = { waitUntil() {} } as never;
    vi.spyOn(console, 'error').mockImplementationOnce(() => {});
    const failed = await app.request(path, { headers }, { ...env, DB }, context);
    expect(failed.status).toBe(500);
    isFailing = false;
    expect(await listed({ ...env, DB })).not.toEqual([]);
  });

  it('the list of the auctions in progress never lacks what the same isolate has written', async () => {
    const { env, ...counting } = counted(worker.env);
    const { uuid } = await addAuction(worker.env);
    expect(await listed(env)).toContain(uuid);
    await cost({ env, ...counting }, `${path}/${uuid}`, report('no_bids'));
    expect(await listed(env)).not.toContain(uuid);
  });

  it('the list of the auctions in progress is not remembered as it was before a write that came while it was read', async () => {
    const { uuid } = await addAuction(worker.env);
    const { env, ...counting } = counted(worker.env);
    let isFirst = true;
    const DB: D1Database = withMethods(env.DB, {
      prepare(query: string) {
        const statement = env.DB.prepare(query);
        if (!isFirst) return statement;
        isFirst = false;
        // The rows are read, and the write comes before they are there.
        const writingMeanwhile = (bound: D1PreparedStatement) =>
          withMethods(bound, {
            async raw() {
              const rows = await bound.raw();
              await cost(
                { env: { ...env, DB }, ...counting },
                `${path}/${uuid}`,
                report('no_bids'),
              );
              return rows;
            },
          });
        return { bind: (...values: unknown[]) => writingMeanwhile(statement.bind(...values)) };
      },
    });
    const slow = { ...env, DB };
    expect(await listed(slow)).toContain(uuid);
    expect(await listed(slow)).not.toContain(uuid);
  });
});
