import { beforeAll, describe, expect, it } from 'vitest';
import { parseDomainName } from '../../../../src/name/domain/operator/name.ts';
import { removeRetainedDomains } from '../../../../src/name/retained/change-names.ts';
import { addRetainedDomains } from '../../../../src/name/retained/operator/change-names.ts';
import { openDispute } from '../../../../src/name/retained/operator/dispute.ts';
import { operator, unique } from '../../../support/fixtures.ts';
import { answerHere, shareWorker } from '../../../support/worker.ts';

const worker = shareWorker();

const name = parseDomainName(`õun${unique()}-ajalugu.ee`);
const path = (text: string, query = '') =>
  `/repp/v1/retained_domains/${encodeURIComponent(text)}/history${query}`;
const by = (at: string) => ({
  actor: operator.actor,
  request: { at: new Date(at), requestId: crypto.randomUUID() },
});

beforeAll(async () => {
  const reserved = [{ ...name, status: 'reserved' as const, password: 'reserved-password' }];
  await addRetainedDomains({ db: worker.db, origin: by('2026-01-02T03:04:05.678Z') }, reserved);
  await removeRetainedDomains({ db: worker.db, origin: by('2026-02-03T04:05:06.789Z') }, reserved);
  await openDispute(
    { db: worker.db, origin: by('2026-03-04T05:06:07.890Z') },
    {
      ...{ ...name, firstDay: '2026-03-04', lastDay: '9999-12-31' },
      ...{ password: 'dispute-password', comment: 'a comment', initiator: 'Mari Maasikas' },
    },
  );
});

const whole = {
  name: name.name,
  punycode_name: name.punycode,
  history: [
    { status: 'reserved', from: '2026-01-02T03:04:05.678Z', until: '2026-02-03T04:05:06.789Z' },
    { status: 'disputed', from: '2026-03-04T00:00:00.000Z', until: null },
  ],
};

it('the history of a name tells when the name was what, and nothing else', async () => {
  const response = await worker.fetch(path(name.punycode));
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual(whole);
  expect(response.headers.get('Link')).toBeNull();
});

it('the history of a name is empty for a name that was never anything', async () => {
  const response = await worker.fetch(path('free.ee'));
  expect(await response.json()).toEqual({
    ...{ name: 'free.ee', punycode_name: 'free.ee' },
    history: [],
  });
});

it('the history of a name is cached, validated and open to pages as the answer for one name is', async () => {
  const { headers } = await worker.fetch(path(name.name));
  expect(headers.get('Cache-Control')).toBe('public, max-age=15, stale-if-error=86400');
  expect(headers.get('Cache-Tag')).toBe('list-all,list-auctions');
  expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
  const etag = headers.get('ETag')!;
  const again = await worker.fetch(path(name.name), { headers: { 'If-None-Match': etag } });
  expect([again.status, await again.text(), again.headers.get('ETag')]).toEqual([304, '', etag]);
  const other = await worker.fetch(path('free.ee'), { headers: { 'If-None-Match': etag } });
  expect(other.status).toBe(200);
});

it('the history of a name is not known any longer to a client that has yet to learn of a next page', async () => {
  const { name: text, ...rest } = parseDomainName(`link${unique()}-ajalugu.ee`);
  const reserved = [{ name: text, ...rest, status: 'reserved' as const }];
  await addRetainedDomains({ db: worker.db, origin: by('2026-01-02T00:00:00.000Z') }, reserved);
  await removeRetainedDomains({ db: worker.db, origin: by('2026-01-03T00:00:00.000Z') }, reserved);
  const last = await worker.fetch(path(text, '?limit=1'));
  await addRetainedDomains({ db: worker.db, origin: by('2026-01-04T00:00:00.000Z') }, reserved);
  const headers = { 'If-None-Match': last.headers.get('ETag')! };
  const followed = await worker.fetch(path(text, '?limit=1'), { headers });
  expect([followed.status, followed.headers.has('Link')]).toEqual([200, true]);
  expect(await followed.text()).toBe(await last.text());
});

describe('a long history', () => {
  const long = `pikk${unique()}-ajalugu.ee`;
  const times = Array.from({ length: 450 }, (_, hour) => new Date(Date.UTC(2026, 0, 1, hour)));
  /** Reserved in every even hour, and in the same hours blocked. */
  const intervals = times
    .flatMap((from, hour) => (hour % 2 === 0 && times[hour + 1] ? [[from, times[hour + 1]!]] : []))
    .flatMap(([from, until]) =>
      ['blocked', 'reserved'].map((status) => ({
        ...{ status, from: from!.toISOString(), until: until!.toISOString() },
      })),
    );

  beforeAll(async () => {
    await worker.env.DB.prepare(
      `insert into history (occurred_at, subject, subject_key, action, actor_type, actor, changes)
       select value ->> 'at', 'retained_domain', ?, iif(value ->> 'from' is null, 'create', 'delete'), 'operator', 'Operator',
         json_object('status', json_object('from', value ->> 'from', 'to', value ->> 'to'))
       from json_each(?)`,
    )
      .bind(
        long,
        JSON.stringify(
          times.flatMap((at, hour) =>
            ['reserved', 'blocked'].map((status) => ({
              at: at.toISOString(),
              ...(hour % 2 ? { from: status, to: null } : { from: null, to: status }),
            })),
          ),
        ),
      )
      .run();
  });

  it.each([
    ['', [200, 200, 50]],
    // Between two that began together.
    ['?limit=151', [151, 151, 148]],
  ])('a long history comes in pages, each linked to the next one: %s', async (query, lengths) => {
    const seen: unknown[] = [];
    const sizes: number[] = [];
    let next: string | undefined = path(long, query);
    while (next) {
      const response: Response = await worker.fetch(next);
      const body = (await response.json()) as typeof whole;
      seen.push(...body.history);
      sizes.push(body.history.length);
      const [, link] = /^<(.+)>; rel="next"$/.exec(response.headers.get('Link') ?? '') ?? [];
      next = link && new URL(link).pathname + new URL(link).search;
    }
    expect(sizes).toEqual(lengths);
    expect(seen).toEqual(intervals);
  });

  it('a long history links to the next page at the public address', async () => {
    const env = { ...worker.env, PUBLIC_URL: 'https://registry.example.ee' };
    const { headers } = await answerHere(path(long, '?limit=3'), {}, env);
    const [, link] = /^<(.+)>; rel="next"$/.exec(headers.get('Link')!)!;
    expect(link).toMatch(
      /^https:\/\/registry\.example\.ee\/repp\/v1\/retained_domains\/.*\/history\?limit=3/,
    );
  });

  it.each(['?limit=201', '?after=MDAwMDAwMDAwMDAwMDA1'])(
    'a long history refuses %s',
    async (query) => {
      const response = await worker.fetch(path(long, query));
      const field = query.slice(1, query.indexOf('='));
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({
        errors: { [field]: [expect.any(String)] },
        detail: expect.any(String),
      });
    },
  );
});
