import { expect, it, test } from 'vitest';
import type { Env } from '../../../../src/base/env.ts';
import { app } from '../../../../src/worker/http/app.ts';
import { answerOf, refused } from '../../../support/client.ts';
import { addOwnContact, addRegistrar, send } from '../../../support/fixtures.ts';
import { answerHere, shareWorker } from '../../../support/worker.ts';

const worker = shareWorker();

const bookmark = '00000085-0000024c-00004c6d-8e61117bf38d7adb71b934ebbf891683';

/** The bookmark or constraint with which the request's session began. */
async function beginningOf(path: string, init: RequestInit): Promise<unknown[]> {
  const beginnings: unknown[] = [];
  const DB = {
    prepare: (query: string) => worker.env.DB.prepare(query),
    batch: (statements: D1PreparedStatement[]) => worker.env.DB.batch(statements),
    withSession(beginning?: string) {
      beginnings.push(beginning);
      return worker.env.DB.withSession(beginning);
    },
  };
  const response = await app.request(path, init, { ...worker.env, DB } as Env);
  expect(response.status).toBe(200);
  return beginnings;
}

test('serves a client without a bookmark from the primary, without a session', async () => {
  const registrar = await addRegistrar(worker.env);
  expect(await beginningOf('/repp/v1/contacts', send('GET', registrar))).toEqual([]);
});

test('serves a client with a bookmark from any replica that has that state', async () => {
  const registrar = await addRegistrar(worker.env);
  const headers = { 'X-D1-Bookmark': bookmark };
  expect(
    await beginningOf('/repp/v1/contacts', send('GET', registrar, undefined, headers)),
  ).toEqual([bookmark]);
});

test('begins every write at the primary, whatever bookmark came with it', async () => {
  const { registrar, contact } = await addOwnContact(worker.env);
  const body = { contact: { name: 'Jüri Tamm' } };
  const init = send('PUT', registrar, body, { 'X-D1-Bookmark': bookmark });
  expect(await beginningOf(`/repp/v1/contacts/${contact.code}`, init)).toEqual(['first-primary']);
});

test('returns a bookmark with a write, and accepts it with the next read', async () => {
  const { registrar, contact } = await addOwnContact(worker.env);
  const path = `/repp/v1/contacts/${contact.code}`;
  const written = await worker.fetch(
    path,
    send('PUT', registrar, { contact: { name: 'Jüri Tamm' } }),
  );
  const given = written.headers.get('X-D1-Bookmark') ?? '';
  expect(given).toMatch(/^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/);

  const read = await worker.fetch(
    path,
    send('GET', registrar, undefined, { 'X-D1-Bookmark': given }),
  );

  expect(await read.json()).toMatchObject({ data: { contact: { name: 'Jüri Tamm' } } });
  // Later bookmarks sort after earlier ones.
  expect(String(read.headers.get('X-D1-Bookmark')) >= given).toBe(true);
});

it.each(['first-unconstrained', `${bookmark}0`, bookmark.toUpperCase()])(
  'an invalid bookmark is refused to a registrar: %j',
  async (given) => {
    const registrar = await addRegistrar(worker.env);
    const headers = { 'X-D1-Bookmark': given };
    const init = send('GET', registrar, undefined, headers);
    expect(await answerOf(worker.fetch('/repp/v1/contacts', init))).toEqual(
      refused(
        2005,
        'Bookmark is invalid [X-D1-Bookmark]',
        'X-D1-Bookmark',
        400,
        'Expected: the value from an earlier answer.',
      ),
    );
  },
);

it('an invalid bookmark is refused if only D1 finds out, and hidden from strangers like everything else', async () => {
  const { DB } = worker.env;
  const batch = () => Promise.reject(new Error('D1_ERROR: bookmark not found'));
  const prepare = (query: string) => DB.prepare(query);
  const database = {
    prepare,
    batch: (statements: D1PreparedStatement[]) => DB.batch(statements),
    withSession: () => ({ prepare, batch, getBookmark: () => null }),
  };
  const statusFor = async (caller: { authorization: string }) => {
    const init = send('GET', caller, undefined, { 'X-D1-Bookmark': bookmark });
    const env = { ...worker.env, DB: database } as unknown as Env;
    return (await answerHere('/repp/v1/contacts', init, env)).status;
  };
  expect(await statusFor(await addRegistrar(worker.env))).toBe(400);
  expect(await statusFor({ authorization: 'Basic YW55OmFueQ==' })).toBe(401);
});

test('returns no bookmark with a public list', async () => {
  const response = await worker.fetch('/repp/v1/auctions');
  expect(response.status).toBe(200);
  expect(response.headers.get('X-D1-Bookmark')).toBeNull();
});
