import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { contacts, disclosures } from '../../../../drizzle/schema.ts';
import { updateAnyContact } from '../../../../src/contact/operator/administer.ts';
import {
  declineDisclosure,
  grantDisclosure,
  type NewDisclosure,
  openDisclosure,
} from '../../../../src/contact/operator/disclosure/disclosure.ts';
import { eraseContact } from '../../../../src/contact/operator/erase.ts';
import { answerOf } from '../../../support/client.ts';
import {
  addContact,
  addDisclosure,
  addPerson,
  addRegistrar,
  operator,
  send,
} from '../../../support/fixtures.ts';
import { shareWorker } from '../../../support/worker.ts';

const worker = shareWorker();
const path = '/api/v1/registrant/disclosures';

interface Caller {
  authorization: string;
}
const list = async (person: Caller, query = '') =>
  (await answerOf(worker.fetch(`${path}${query}`, send('GET', person)))).body;
const listInExport = async (person: Caller) =>
  (await answerOf(worker.fetch('/api/v1/registrant/export', send('GET', person)))).body.disclosures;

async function addPersonWithContact() {
  const person = await addPerson(worker.env, { countryCode: 'LV' });
  const identity = { ident: person.code, identCountryCode: 'LV' };
  const contact = await addContact(worker.env, await addRegistrar(worker.env), identity);
  return { person, contact };
}

async function open(code: string, changes: Partial<NewDisclosure> = {}): Promise<number> {
  const disclosure = await openDisclosure(worker.operation, {
    ...{ contact: code, requester: 'Jaan Tamm', identifiedBy: 'ID card', organization: 'Police' },
    ...{ basis: 'case 12-3', requestedFields: ['email', 'name'], isConfidential: false },
    receivedAt: operator.request.at,
    ...changes,
  });
  return disclosure.id;
}

const grant = (id: number, visibleAfter?: Date) =>
  grantDisclosure(worker.operation, id, { visibleAfter });

it('a person sees what was granted, and nothing that was not', async () => {
  const { person, contact } = await addPersonWithContact();
  const [granted, refused] = [await open(contact.code), await open(contact.code)];
  await open(contact.code);
  expect(await list(person)).toEqual({ disclosures: [] });
  await grant(granted);
  const refusal = { outcome: 'refused', explanation: 'no basis' } as const;
  await declineDisclosure(worker.operation, refused, refusal);
  const shown = {
    contact: contact.code,
    organization: 'Police',
    basis: 'case 12-3',
    fields: ['name', 'email'],
    granted_at: '2026-05-06T07:08:09.010Z',
  };
  expect(await list(person)).toEqual({ disclosures: [shown] });
  expect(await listInExport(person)).toEqual([shown]);
});

it('a person sees a disclosure when its time has come, and a confidential one never', async () => {
  const { person, contact } = await addPersonWithContact();
  await grant(await open(contact.code, { organization: 'past' }), new Date(Date.now() - 1_000));
  await grant(await open(contact.code, { organization: 'future' }), new Date(Date.now() + 60_000));
  await grant(await open(contact.code, { isConfidential: true }));
  const shown = [expect.objectContaining({ organization: 'past' })];
  expect(await list(person)).toEqual({ disclosures: shown });
  expect(await listInExport(person)).toEqual(shown);
});

it('a disclosure stays with the person, whoever has the contact or its code later', async () => {
  const { person, contact } = await addPersonWithContact();
  const { person: later } = await addPersonWithContact();
  await grant(await open(contact.code));
  const { disclosures: before } = await list(person);
  expect(before).toHaveLength(1);
  await updateAnyContact(worker.operation, contact.code, { ident: later.code });
  expect(await list(person)).toEqual({ disclosures: before });
  expect(await list(later)).toEqual({ disclosures: [] });
  await worker.db.delete(contacts).where(eq(contacts.id, contact.id));
  await addContact(
    worker.env,
    { id: contact.registrarId, code: 'X' },
    { code: contact.code, ident: later.code, identCountryCode: 'LV' },
  );
  expect(await list(person)).toEqual({ disclosures: before });
  expect(await list(later)).toEqual({ disclosures: [] });
  expect(await listInExport(person)).toEqual(before);
});

it('nobody sees the disclosures about an organisation with the code of a person', async () => {
  const person = await addPerson(worker.env, { countryCode: 'LV' });
  const identity = { ident: person.code, identCountryCode: 'LV', identType: 'org' };
  const contact = await addContact(worker.env, await addRegistrar(worker.env), identity);
  await grant(await open(contact.code));
  expect(await list(person)).toEqual({ disclosures: [] });
});

it('after an erasure nobody sees a disclosure, whose row stays', async () => {
  const { person, contact } = await addPersonWithContact();
  const id = await open(contact.code);
  await grant(id);
  await eraseContact(worker.operation, contact.code);
  expect(await list(person)).toEqual({ disclosures: [] });
  expect(await listInExport(person)).toEqual([]);
  const [row] = await worker.db.select().from(disclosures).where(eq(disclosures.id, id));
  expect(row).toMatchObject({ organization: 'Police', outcome: 'granted', contactCode: null });
});

it('disclosures are listed in pages, and the export has those of every page', async () => {
  const { person, contact } = await addPersonWithContact();
  const count = 201;
  for (let n = 0; n < count; n++) {
    await addDisclosure(worker.env, contact, { organization: `organization ${n}` });
  }
  const all: unknown[] = [];
  let next: string | undefined = `${path}?limit=100`;
  const sizes: number[] = [];
  while (next) {
    const response: Response = await worker.fetch(next, send('GET', person));
    const { body } = await answerOf(response.clone());
    all.push(...body.disclosures);
    sizes.push(body.disclosures.length);
    const link: string | undefined = /<([^>]+)>/.exec(response.headers.get('Link') ?? '')?.[1];
    next = link && new URL(link).pathname + new URL(link).search;
  }
  expect(sizes).toEqual([100, 100, 1]);
  expect(new Set(all.map((one) => (one as { organization: string }).organization)).size).toBe(
    count,
  );
  expect(await listInExport(person)).toEqual(all);
});
