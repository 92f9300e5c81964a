import type { history } from '../../../../drizzle/schema.ts';
import type { Database } from '../../../base/database/open.ts';
import { logUnexpected } from '../../../base/log.ts';
import {
  listPersonalData,
  type PersonalContact,
  readOtherPersonalData,
} from '../../../contact/personal-data.ts';
import {
  personalRepresentation,
  verificationRepresentation,
} from '../../../contact/representation.ts';
import type { Person } from '../../../party/registrant/token.ts';
import { database } from '../request/context.ts';
import { historyEntry } from '../request/history.ts';
import { newApp } from '../request/hono.ts';
import { personalDisclosure } from './disclosures.ts';
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

/**
 * Streams the text as fast as the client takes it. The first chunk is read before this returns, so that what fails at
 * once is answered as an error; a later failure is logged and breaks the answer off.
 */
async function streamOf(
  text: AsyncGenerator<string, void>,
  requestId: string,
): Promise<ReadableStream> {
  const encoder = new TextEncoder();
  const nextChunk = async () => {
    let chunk = '';
    while (chunk.length < chunkLength) {
      const { done, value } = await text.next();
      if (done) break;
      chunk += value;
    }
    return chunk;
  };
  let chunk = await nextChunk();
  return new ReadableStream({
    async pull(controller) {
      if (chunk === '') return controller.close();
      controller.enqueue(encoder.encode(chunk));
      try {
        chunk = await nextChunk();
      } catch (error) {
        logUnexpected(error, requestId);
        controller.error(error);
      }
    },
    async cancel() {
      await text.return();
    },
  });
}
