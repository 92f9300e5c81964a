import { beforeAll, expect, inject, test } from 'vitest';
import { type Database, openDatabase } from '../../src/base/database/open.ts';
import type { Env } from '../../src/base/env.ts';
import { deleteAnyContact, updateAnyContact } from '../../src/contact/operator/administer.ts';
import {
  grantDisclosure,
  openDisclosure,
} from '../../src/contact/operator/disclosure/disclosure.ts';
import { importContacts } from '../../src/contact/operator/import.ts';
import { deskPages } from '../../src/desk/desk.tsx';
import { recordLooks } from '../../src/desk/guard.ts';
import { importDomains } from '../../src/name/domain/operator/import.ts';
import { runCron } from '../../src/worker/cron.ts';
import { addRegistrar, contactValues, operator } from '../support/fixtures.ts';
import { inProcessBindings } from '../support/in-process/bindings.ts';
import { copyDatabase } from '../support/in-process/database.ts';
import { databaseFile } from '../tool/empty-again.ts';
import { readPage } from './judges.ts';

/* Where a page shows a part of what there is, and where two had the same. */

let env: Env;
let db: Database;
let registrar: string;

beforeAll(async () => {
  env = inProcessBindings(copyDatabase(databaseFile(inject('emptyRegistry'))), {}, undefined);
  db = openDatabase(env.DB);
  ({ code: registrar } = await addRegistrar(env));
});

const origin = () => ({
  actor: operator.actor,
  request: { at: new Date(), requestId: crypto.randomUUID() },
});
const operation = () => ({ db, origin: origin() });

async function read(path: string) {
  const pages = deskPages({
    title: '',
    record: undefined,
    commandLine: undefined,
    open: async () => ({
      ...{ ...operation(), env, isDeployed: false },
      service: { address: undefined },
    }),
  });
  return readPage(path, await (await pages.request(path)).text());
}

async function addContact(
  code: string,
  values: { name?: string; ident: string; identCountryCode?: string },
) {
  const uuid = crypto.randomUUID();
  const contact = { ...contactValues, ...values, code: `${registrar}:${code}`, registrar, uuid };
  await importContacts(operation(), [contact]);
  return { uuid, code: contact.code };
}

const ask = (contact: string, organization: string) =>
  openDisclosure(operation(), {
    ...{ contact, requester: 'Mari', identifiedBy: 'ID card', organization, basis: 'case 1' },
    ...{ requestedFields: ['name'], isConfidential: false, receivedAt: new Date(0) },
  });

test('a person with more domains than the page shows holds at least those', async () => {
  const { uuid, code: registrant } = await addContact('MANY', { ident: '48703146529' });
  const names = Array.from({ length: 203 }, (_, n) => `many${n}.ee`);
  const roles = { registrar, registrant, admin: [], tech: [] };
  await importDomains(
    operation(),
    names.map((name) => ({ ...roles, name, punycode: name })),
  );
  const { answer, parts } = await read(`/person/${uuid}`);
  expect(answer[0]).toContain('holds at least 200 domains, and is named in at least 0 others.');
  expect([...parts.keys()]).toContain('The first 200 domains');
});

test('to whom data were given is said of as many requests as were looked at', async () => {
  const { uuid, code } = await addContact('ASKED', { ident: '49403136526' });
  await grantDisclosure(operation(), (await ask(code, 'Court')).id, {});
  for (let n = 0; n < 49; n++) await ask(code, `Office ${n}`);
  await grantDisclosure(operation(), (await ask(code, 'Police')).id, {});
  expect((await read(`/contact/${uuid}`)).answer).toContain(
    'Of the newest 50 requests with this identity code, these were granted: Police.',
  );
});

test('a code that two contacts had says nothing of either, but lets choose', async () => {
  const people = [
    { name: 'Mari Esimene', ident: '38001085718' },
    { name: 'Jaan Teine', ident: '37605030299' },
  ];
  for (const person of people) {
    const { code } = await addContact('TWICE', person);
    if (person.name.startsWith('Mari')) {
      await grantDisclosure(operation(), (await ask(code, 'Bank')).id, {});
    }
    await deleteAnyContact(operation(), code);
  }
  const { answer, text } = await read(`/contact/${registrar}:TWICE`);
  expect(answer).toEqual(['2 contacts had this code, and none has it now: choose.']);
  expect(text).not.toContain('Bank');
});

test('a person and an organisation with the same code have requests of their own', async () => {
  const person = { ident: '40003032949', identCountryCode: 'LV' };
  const { uuid, code } = await addContact('SAME', person);
  await grantDisclosure(operation(), (await ask(code, 'Court')).id, {});
  await updateAnyContact(operation(), code, { identType: 'org' });
  const { answer, parts } = await read(`/contact/${uuid}`);
  expect(answer.join()).not.toContain('Court');
  const ofPerson = 'Who asked for data of other persons who had this contact';
  expect(parts.get(ofPerson)).toContain('Court');
  expect(parts.get('Who asked for data with this identity')).toBeUndefined();
});

test('a contact whose old looks were swept had nobody look at it, as far as looks are kept', async () => {
  const { uuid } = await addContact('LOOKED', { ident: '60001019906' });
  const look = { subject: 'contact', key: uuid } as const;
  await recordLooks(env.DB, [look], 'kati@r.example', new Date('2020-01-01T00:00:00Z'));
  expect((await read(`/contact/${uuid}`)).text).toContain('kati@r.example');
  await runCron('31 * * * *', { ...env, DESK_LOOKS_DAYS: '365' } as Env, {} as ExecutionContext);
  const looked = (await read(`/contact/${uuid}`)).parts.get('Who looked');
  expect(looked).not.toContain('kati@r.example');
  expect(looked).toMatch(/^Nobody, as far as looks are kept\./);
});
