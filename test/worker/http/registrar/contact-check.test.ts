import { expect, test } from 'vitest';
import { answerOf, completed, refused, registrarClient } from '../../../support/client.ts';
import { addContact, addRegistrar } from '../../../support/fixtures.ts';
import { shareWorker } from '../../../support/worker.ts';

const worker = shareWorker();
const repp = registrarClient(worker);

const check = (registrar: { authorization: string }, contacts: unknown) =>
  answerOf(repp.request(registrar, 'POST', '/check', { contacts }));

test('answers each id in its place, as a creation would judge it', async () => {
  const [registrar, other] = [await addRegistrar(worker.env), await addRegistrar(worker.env)];
  const { code: prefix } = registrar;
  await addContact(worker.env, registrar, { code: `${prefix}:TAMM` });
  await addContact(worker.env, other, { code: `${other.code}:TAMM` });
  const taken = 'Contact id already exists [code]';
  const form =
    'at most 100 letters, digits, `_`, `.`, `:` and `-`, the registrar’s prefix included';
  const malformed = `Contact id is invalid. Expected: ${form}.`;

  const answer = await check(registrar, [
    'tamm',
    `${prefix}:tamm`,
    'kuusk',
    `${other.code}:TAMM`,
    '',
    5,
    `${prefix}:`,
  ]);

  expect(answer).toEqual(
    completed({
      results: [
        { asked: 'tamm', id: `${prefix}:TAMM`, available: false, reason: taken },
        { asked: `${prefix}:tamm`, id: `${prefix}:TAMM`, available: false, reason: taken },
        { asked: 'kuusk', id: `${prefix}:KUUSK`, available: true, reason: null },
        {
          asked: `${other.code}:TAMM`,
          id: `${prefix}:${other.code}:TAMM`,
          available: true,
          reason: null,
        },
        { asked: '', id: null, available: false, reason: malformed },
        { asked: 5, id: null, available: false, reason: malformed },
        { asked: `${prefix}:`, id: null, available: false, reason: malformed },
      ],
    }),
  );
});

test('takes 1 to 100 ids', async () => {
  const registrar = await addRegistrar(worker.env);
  const ids = Array.from({ length: 101 }, (_, n) => `id-${n}`);
  expect((await check(registrar, ids.slice(1))).body.data.results).toHaveLength(100);
  const problem = 'Parameter value range error [contacts]';
  for (const wrong of [ids, []]) {
    expect(await check(registrar, wrong)).toMatchObject(refused(2004, problem, 'contacts'));
  }
  expect(await check(registrar, 'kuusk')).toMatchObject(
    refused(2005, 'Contacts is invalid [contacts]', 'contacts'),
  );
});
