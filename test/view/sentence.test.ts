import { expect, test } from 'vitest';
import { plainText, type Sentence } from '../../src/base/text/sentence.ts';
import type { HistoryEntry } from '../../src/change/history/search.ts';
import { changeSentences, entrySentence } from '../../src/view/history-sentences.ts';
import { namingIn, sentenceText } from '../../src/view/sentence.ts';
import { valueText } from '../../src/view/words.ts';
import { addContact, addRegistrar } from '../support/fixtures.ts';
import { shareWorker } from '../support/worker.ts';

const worker = shareWorker();
const text = (sentence: Sentence) => sentenceText(sentence, namingIn(worker.db));

const entry: HistoryEntry = {
  id: 1,
  ...{ occurredAt: '2020-01-31T12:00:00.000Z', requestId: null, clientReference: null },
  ...{ subjectKey: 'kohv.ee', subjectUuid: null, registrar: null, changes: {} },
  ...{ actor: '7-ApiUser: alpha_bot' },
  subject: 'auction',
  action: 'create',
  actorType: 'api_user',
};

test('each reader has own words for the terms of a sentence', async () => {
  const sentence: Sentence = [
    ...['since ', { instant: '2020-01-31T12:00:00.000Z' }, ', on ', { day: '2020-02-01' }, ', '],
    { field: 'auth_info' },
    ' of ',
    { kind: 'disclosure', key: '7' },
    ': ',
    { field: 'status', value: ['payment_received', 'started'] },
  ];
  expect(plainText(sentence)).toBe(
    'since 2020-01-31T12:00:00.000Z, on 2020-02-01, auth_info of disclosure 7: payment_received, started',
  );
  expect(await text(sentence)).toMatch(
    /^since Fri 31 Jan 2020, 12:00 UTC \(.*\d+ years ago\), on 1 Feb 2020, transfer password of disclosure 7: payment received, started$/,
  );
});

test('a contact and a registrar with the same code keep their own names', async () => {
  const registrar = await addRegistrar(worker.env, { name: 'Alpha OÜ' });
  const key = registrar.code;
  await addContact(worker.env, registrar, { code: key, name: 'Mari Tamm' });
  expect(await text([{ kind: 'registrar', key }, ', ', { kind: 'contact', key }])).toBe(
    `Alpha OÜ (${key}), Mari Tamm (${key})`,
  );
});

test('who acted is called by the name that it has', async () => {
  expect(await text(entrySentence(entry))).toBe(
    'API user alpha_bot started the auction of kohv.ee',
  );
});

test.each([
  ['comment', 'System: epp'],
  ['comment', '7-ApiUser: a_b'],
  ['comment', '2020-01-31T12:00:00.000Z'],
  ['name', '2020-99-99T00:00:00Z'],
  ['orgName', '9999-12-31'],
  ['state', 'Harju_Maa'],
])('a field of somebody’s own words keeps them: %s %s', (field, value) => {
  expect(valueText(value, field)).toBe(value);
});

test.each([
  ['last_day', '2020-01-31', '31 Jan 2020'],
  ['lastDay', '9999-12-31', 'none'],
  ['verified_by', '7-ApiUser: alpha_bot', 'API user alpha_bot'],
  ['creator', 'RegistrantUser: Mari Maasikas', 'the registrant Mari Maasikas'],
  ['creator', 'Import: what_ever', 'Import: what_ever'],
  ['previous_secret_valid_until', 'a day after', 'a day after'],
  ['verified_at', '2020-99-99T00:00:00Z', '2020-99-99T00:00:00Z'],
  ['ident_type', 'constructor', 'constructor'],
])('%s %s is %s', (field, value, words) => {
  expect(valueText(value, field)).toBe(words);
});

test('the reason of a deletion is shown with what was deleted', async () => {
  const changes = {
    status: { from: 'payment_received', to: null },
    reason: { from: null, to: 'sold_twice' },
    authInfo: { redacted: true },
  } as const;
  const all = changeSentences({ ...entry, action: 'delete', changes });
  expect(await Promise.all(all.map(text))).toEqual([
    'status: payment received',
    'reason: sold_twice',
    'transfer password: not shown',
  ]);
});
