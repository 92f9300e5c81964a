import { describe, expect, it } from 'vitest';
import worker from '../src/index.ts';
import { addContact, addRegistrar, bearer, newContact, send } from './support/fixtures.ts';
import { measured } from './support/measured.ts';
import { startWorker } from './support/worker.ts';

/**
 * Two isolates of one build on one database: the bundle in its runtime, and the source in this process, which shares no
 * memory with it. Nothing here is of an earlier build; of that, test/previous-release has the statements.
 */
const registry = startWorker();

type Ask = (path: string, init?: RequestInit) => Promise<Response>;

const one: Ask = (path, init) => registry.fetch(path, init);
const other: Ask = async (path, init = {}) => {
  const headers = { 'CF-Connecting-IP': '127.0.0.1', ...(init.headers as object) };
  const request = new Request(new URL(path, registry.url), { ...init, headers });
  const works: Promise<unknown>[] = [];
  const context = { waitUntil: (work: Promise<unknown>) => works.push(work) };
  const { env } = measured(registry);
  const response = await worker.fetch(request as never, env, context as never);
  await Promise.all(works);
  return response as unknown as Response;
};

describe.each([
  ['one isolate, then the other', one, other],
  ['the other isolate, then the one', other, one],
])('%s', (_, first, second) => {
  it('do once what is sent twice with one key', async () => {
    const registrar = await addRegistrar(registry.env);
    const body = { contact: newContact() };
    const init = send('POST', registrar, body, { 'Idempotency-Key': 'k' });
    const answer = await (await first('/repp/v1/contacts', init)).json();
    expect(answer).toMatchObject({ code: 1000 });
    expect(await (await second('/repp/v1/contacts', init)).json()).toEqual(answer);
    const list = await (await first('/repp/v1/contacts', send('GET', registrar))).json();
    expect(list).toMatchObject({ total_number_of_records: 1 });
  });

  it('know a version of the other, and refuse it once it is old', async () => {
    const registrar = await addRegistrar(registry.env);
    const { code } = await addContact(registry.env, registrar);
    const path = `/repp/v1/contacts/${code}`;
    const etag = (await first(path, send('GET', registrar))).headers.get('ETag')!;
    const update = (name: string) =>
      send('PUT', registrar, { contact: { name } }, { 'If-Match': etag });
    expect((await second(path, update('Second'))).status).toBe(200);
    expect((await first(path, update('First'))).status).toBe(412);
    expect(await (await first(path, send('GET', registrar))).json()).toMatchObject({
      data: { contact: { name: 'Second' } },
    });
  });

  it('go on with a list where the other has ended', async () => {
    const registrar = await addRegistrar(registry.env);
    for (let n = 0; n < 3; n++) await addContact(registry.env, registrar);
    const seen: string[] = [];
    const asks = [first, second, first, second];
    for (let next: string | undefined = '/repp/v1/contacts?limit=1'; next; ) {
      const response: Response = await asks.shift()!(next, send('GET', registrar));
      const body = (await response.json()) as { contacts: string[] };
      seen.push(...body.contacts);
      const [, link] = /<([^>]+)>; rel="next"/.exec(response.headers.get('Link') ?? '') ?? [];
      next = link && new URL(link, registry.url).pathname + new URL(link, registry.url).search;
    }
    expect(new Set(seen).size).toBe(3);
  });

  it('admit a person by a token of the other', async () => {
    const authorization = await bearer({ fetch: first });
    const answer = await second('/api/v1/registrant/contacts', send('GET', { authorization }));
    expect(answer.status).toBe(200);
  });

  it('name the same list by the same ETag', async () => {
    const path = '/repp/v1/auctions';
    await (await first(path)).arrayBuffer();
    const etag = (await first(path)).headers.get('ETag')!;
    const known = await second(path, { headers: { 'If-None-Match': etag } });
    expect(known.status).toBe(304);
  });
});
