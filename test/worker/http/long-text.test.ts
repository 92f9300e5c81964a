import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { unitsPerCharacter } from '../../../src/base/text/nfc.ts';
import { maximumBodyBytes } from '../../../src/worker/http/request/input.ts';
import { maximumLength } from '../../../src/worker/http/site/view.ts';
import { cost, counted } from '../../support/counted.ts';
import {
  addAuction,
  addContact,
  addPerson,
  addRegistrar,
  contactValues,
  newContact,
  send,
} from '../../support/fixtures.ts';
import { shareEmptyWorker } from '../../support/worker.ts';

/** `normalize` takes half a second for a body full of combining marks in the wrong order, so they must not reach it. */
const worker = shareEmptyWorker();
const marks = '\u0315\u0300'.repeat(maximumBodyBytes / 4 - 200);
/** In code units. The page cuts a text later than fields and names are refused. */
const longestNormalised = unitsPerCharacter * maximumLength;

/** What stands for `{…}` in a path. */
let things: Record<string, string>;
let callers: Record<'registrar' | 'registrant', { authorization: string }>;
beforeAll(async () => {
  const registrar = await addRegistrar(worker.env);
  const registrant = await addPerson(worker.env);
  const { code, uuid } = await addContact(worker.env, registrar, { ident: registrant.code });
  things = { code, uuid, auction: (await addAuction(worker.env)).uuid };
  callers = { registrar, registrant };
});

/** The status of the answer, and whether every text that was normalised for it was short. */
async function answerTo(method: string, path: string, body?: unknown) {
  const caller = path.startsWith('/repp/v1/contacts') ? callers.registrar : callers.registrant;
  const normalize = vi.spyOn(String.prototype, 'normalize');
  onTestFinished(() => normalize.mockRestore());
  const filled = path
    .replace('*', encodeURIComponent(marks))
    .replace(/\{(\w+)\}/, (_, thing) => things[thing] as string);
  const { status } = await cost(counted(worker.env), filled, send(method, caller, body));
  const lengths = normalize.mock.contexts.map((text) => String(text).length);
  return { status, isBounded: Math.max(0, ...lengths) <= longestNormalised };
}

/** The paths to the texts in a body, each with the body that has the marks in that place. */
function withMarks(body: unknown, path = ''): [path: string, body: unknown][] {
  if (typeof body === 'string') return [[path, marks]];
  return Object.entries(body as object).flatMap(([name, value]) =>
    withMarks(value, path ? `${path}.${name}` : name).map(([at, each]): [string, unknown] => [
      at,
      Array.isArray(body) ? [each] : { ...(body as object), [name]: each },
    ]),
  );
}

const address = { street: 'Aia 1', city: 'Tartu', zip: '50090', state: '-', country_code: 'EE' };
const contact = newContact({ fax: '+372.6123456', org_name: 'OÜ', auth_info: '-', addr: address });
const { name, email, phone } = contactValues;
const ofPerson = { name, email, phone, fax: '+372.6123456' };
const bodies: [method: string, path: string, body: object, status: number][] = [
  ['POST', '/repp/v1/contacts', { contact: { ...contact, id: 'A1' } }, 400],
  ['POST', '/repp/v1/contacts/validate', { contacts: [contact] }, 200],
  ['PUT', '/repp/v1/contacts/{code}', { contact }, 400],
  [
    'PATCH',
    '/api/v1/registrant/contacts/{uuid}',
    { ...ofPerson, address, disclosed_attributes: ['name'] },
    400,
  ],
  [
    'POST',
    '/api/v1/registrant/auth/eid',
    { ident: '38001085718', first_name: 'Mari', last_name: 'Maasikas', country_code: 'EE' },
    400,
  ],
  [
    'PATCH',
    '/api/v1/auctions/{auction}',
    { status: 'no_bids', registration_deadline: '2026-12-31', platform: 'auto' },
    400,
  ],
  ['POST', '/repp/v1/retained_domains/lookup', { names: ['a.ee'] }, 200],
];

test.each(
  bodies.flatMap(([method, path, body, status]) =>
    withMarks(body).map(([at, each]) => ({ method, path, at, each, status })),
  ),
)('$method $path normalises no long text given as $at', async (call) => {
  const { method, path, each, status } = call;
  expect(await answerTo(method, path, each)).toEqual({ status, isBounded: true });
});

test.each([
  ['/repp/v1/contacts?ident=*', 400],
  ['/repp/v1/contacts?ident_country_code=*', 400],
  ['/repp/v1/contacts?email=*', 400],
  ['/repp/v1/contacts?name=*', 400],
  ['/repp/v1/contacts?status=*', 400],
  ['/repp/v1/contacts?updated_since=*', 400],
  ['/repp/v1/contacts?limit=*', 400],
  ['/repp/v1/contacts?after=*', 400],
  ['/repp/v1/contacts?*=1', 200],
  ['/repp/v1/contacts/*', 404],
  ['/repp/v1/contacts/*/history', 404],
  ['/repp/v1/contacts/check/*', 400],
  ['/api/v1/registrant/contacts/*', 404],
  ['/api/v1/auctions/*', 404],
  ['/repp/v1/retained_domains?type=*', 400],
  ['/repp/v1/retained_domains?as_of=*', 400],
  ['/repp/v1/retained_domains/changes?since=*', 400],
  ['/repp/v1/retained_domains/*', 400],
  ['/repp/v1/retained_domains/*/history', 400],
  ['/en/?name=*', 400],
  ['/en/?as_of=*', 200],
  ['/en/?auctions=*', 200],
  ['/en/?sort=*', 200],
  ['/en/?starts=*', 200],
  ['/en/?after=*', 200],
  ['/*', 404],
])('GET %s normalises no long text', async (path, status) => {
  expect(await answerTo('GET', path)).toEqual({ status, isBounded: true });
});
