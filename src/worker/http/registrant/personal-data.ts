import type { history } from '../../../../drizzle/schema.ts';
import type { Database } from '../../../base/database/open.ts';
import { retry } from '../../../base/database/retry.ts';
import { logUnexpected } from '../../../base/log.ts';
import {
  disclosuresOf,
  listPersonalData,
  type PersonalContact,
  type PersonalDisclosure,
  readOtherPersonalData,
} from '../../../contact/personal-data.ts';
import {
  personalRepresentation,
  verificationRepresentation,
} from '../../../contact/representation.ts';
import type { Person } from '../../../party/registrant/token.ts';
import { historyEntry } from '../request/answer.ts';
import { database, newApp } from '../request/context.ts';
import { linkAfter, requestedPage, takesPage } from '../request/paging.ts';
import { registrantMiddleware } from './login.ts';

export const personalExport = newApp();

personalExport.use(...registrantMiddleware);

personalExport.get('/', async (c) => {
  const { person, now, requestId } = c.var;
  const body = await streamOf(documentOf(database(c), person, now), requestId);
  return c.body(body, 200, { 'Content-Type': 'application/json' });
});

async function* documentOf(db: Database, person: Person, now: Date): AsyncGenerator<string, void> {
  const ident = { code: person.code, type: 'priv', country_code: person.countryCode };
  const head = JSON.stringify({ exported_at: now.toISOString(), person: { ident } });
  yield `${head.slice(0, -1)},"contacts":`;
  yield* arrayOf(listPersonalData(db, person), contactText);
  yield ',"deleted_contacts":';
  const { deleted, disclosures } = await readOtherPersonalData(db, person, now);
  yield* arrayOf(deleted, deletedText);
  yield ',"disclosures":';
  yield* arrayOf(disclosures, (one) => [JSON.stringify(personalDisclosure(one))]);
  yield '}';
}

async function* contactText({ contact, registrar, domains, history }: PersonalContact) {
  const about = { ...personalRepresentation(contact), ...verificationRepresentation(contact) };
  const known = JSON.stringify({ ...about, registrar });
  yield `${known.slice(0, -1)},"domains":`;
  yield* arrayOf(domains, ({ name, role }) => [JSON.stringify({ name, role })]);
  yield ',"history":';
  yield* arrayOf(history, entryText);
  yield '}';
}

type Others = Awaited<ReturnType<typeof readOtherPersonalData>>;

async function* deletedText({ code, uuid, history }: Others['deleted'][number]) {
  yield `${JSON.stringify({ id: uuid, code }).slice(0, -1)},"history":`;
  yield* arrayOf(history, entryText);
  yield '}';
}

function entryText({ entry }: { entry: typeof history.$inferSelect }): string[] {
  return [JSON.stringify(historyEntry(entry))];
}

async function* arrayOf<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  textOf: (item: Item) => Iterable<string> | AsyncIterable<string>,
): AsyncGenerator<string, void> {
  let separator = '[';
  for await (const item of items) {
    yield separator;
    yield* textOf(item);
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

/** Minimum number of characters sent at once. */
const chunkLength = 16_384;

async function* inChunks(text: AsyncGenerator<string, void>) {
  let chunk = '';
  for await (const part of text) {
    chunk += part;
    if (chunk.length < chunkLength) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

/**
 * Streams the text as fast as the client takes it. Reads the first chunk before it returns, so that an early failure gets an error response. A
 * later failure is logged and ends the response.
 */
async function streamOf(text: AsyncGenerator<string, void>, requestId: string) {
  const chunks = inChunks(text);
  const encoder = new TextEncoder();
  let next = await chunks.next();
  return new ReadableStream({
    async pull(controller) {
      if (next.done) return controller.close();
      controller.enqueue(encoder.encode(next.value));
      try {
        next = await chunks.next();
      } catch (error) {
        logUnexpected(error, requestId);
        controller.error(error);
      }
    },
    async cancel() {
      await chunks.return();
    },
  });
}

export const registrantDisclosures = newApp();

registrantDisclosures.use(...registrantMiddleware);

registrantDisclosures.get('/', takesPage, async (c) => {
  const page = requestedPage(c.req.valid('query'));
  const { person, now } = c.var;
  const disclosures = await retry(() => disclosuresOf(database(c), person, now, page));
  linkAfter(c, page, disclosures);
  return c.json({ disclosures: disclosures.map(personalDisclosure) });
});

function personalDisclosure(disclosure: PersonalDisclosure) {
  return {
    contact: disclosure.contactCode,
    organization: disclosure.organization,
    basis: disclosure.basis,
    fields: disclosure.grantedFields,
    granted_at: disclosure.answeredAt,
  };
}
