import type { history } from '../../../drizzle/schema.ts';
import {
  listPersonalData,
  type PersonalContact,
  readOtherPersonalData,
} from '../../contact/personal-data.ts';
import {
  personalRepresentation,
  verificationRepresentation,
} from '../../contact/representation.ts';
import { logUnexpected } from '../../log.ts';
import type { Person } from '../../registrant/token.ts';
import { database } from '../context.ts';
import { historyEntry } from '../history.ts';
import { newApp } from '../hono.ts';
import { personalDisclosure } from './disclosures.ts';
import { registrantMiddleware } from './login.ts';

export const personalExport = newApp();

personalExport.use(...registrantMiddleware);

personalExport.get('/', async (c) => {
  const { person, now, requestId } = c.var;
  const db = database(c);
  const contacts = listPersonalData(db, person);
  const readOthers = () => readOtherPersonalData(db, person, now);
  const body = await streamOf(documentOf(person, now, contacts, readOthers), requestId);
  return c.body(body, 200, { 'Content-Type': 'application/json' });
});

type Others = Awaited<ReturnType<typeof readOtherPersonalData>>;

async function* documentOf(
  { countryCode, code }: Person,
  now: Date,
  contacts: AsyncIterable<PersonalContact>,
  readOthers: () => Promise<Others>,
): AsyncGenerator<string, void> {
  const person = { ident: { code, type: 'priv', country_code: countryCode } };
  const head = JSON.stringify({ exported_at: now.toISOString(), person });
  yield `${head.slice(0, -1)},"contacts":`;
  yield* arrayOf(contacts, contactText);
  yield ',"deleted_contacts":';
  const { deleted, disclosures } = await readOthers();
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
