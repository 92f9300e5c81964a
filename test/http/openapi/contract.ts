import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { oas31 } from 'zod-openapi';
import { type InterfaceName, interfaceOf } from '../../../src/http/interface.ts';

/**
 * Holds answers to the document that was built. Clients must expect more than it says, but here an answer with a field
 * or a header that the document lacks is a problem too.
 */

export interface Asked {
  method: string;
  /** As it was sent, query included. */
  path: string;
}

export interface Answered {
  status: number;
  /** By lower-case names. */
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

type Node = Record<string, unknown>;

interface Contract {
  document: Node;
  ajv: Ajv2020;
  /** Paths without parameters come first, as in routing. */
  paths: { pattern: RegExp; path: string; methods: string[] }[];
}

/** Read and compiled once for all tests of a process. */
let contract: Contract | undefined;
const validators = new Map<string, ValidateFunction>();

/** What is wrong with an answer, if anything is. Of the paths that the document does not have, only a 404 is judged. */
export function contractProblem(asked: Asked, answered: Answered): string | undefined {
  // The runtime's own parser: the service never saw the request.
  if (answered.status === 400 && answered.body === 'invalid URI') return undefined;
  return problemOnEachPath(asked.path, (path) => problemAt(path, asked, answered));
}

function problemAt(path: string, asked: Asked, answered: Answered): string | undefined {
  const { status, body } = answered;
  contract ??= readContract();
  const fitting = contract.paths.filter(({ pattern }) => pattern.test(path));
  if (fitting.length === 0) {
    const form = notFound[interfaceOf(path)];
    return status === 404 && form ? bodyProblem(form, body, asked) : undefined;
  }
  const method = asked.method.toLowerCase().replace('head', 'get');
  // A method that no path has is refused as the path's calls may be.
  const known = fitting.find(({ methods }) => methods.includes(method)) ?? fitting[0]!;
  const methods = known.methods.includes(method) ? [method] : known.methods;
  const pointers = methods.map((name) =>
    pointerTo('paths', known.path, name, 'responses', String(status)),
  );
  const pointer = pointers.find((each) => valueAt(each) !== undefined);
  return pointer === undefined
    ? `status ${status} is not documented`
    : responseProblem(pointer, asked, answered);
}

/** What is wrong with what a webhook has received, if anything is. */
export function pushProblem({ headers, body }: Omit<Answered, 'status'>): string | undefined {
  contract ??= readContract();
  const { type } = JSON.parse(body);
  const webhook = pointerTo('webhooks', type, 'post');
  const operation = valueAt(webhook) as oas31.OperationObject | undefined;
  if (!operation) return `the event ${type} is not documented`;
  for (const index of operation.parameters!.keys()) {
    const { name } = resolved(`${webhook}/parameters/${index}`).value as { name: string };
    const problem = headerProblem(`${webhook}/parameters/${index}`, headers[name]);
    if (problem) return `the header ${name} ${problem}`;
  }
  const schema = `${webhook}/requestBody/content/application~1json/schema`;
  return bodyProblem(schema, body, { method: 'POST', path: '' });
}

/** The form of a 404 for a path that does not exist; a page is not JSON. */
const notFound: Record<InterfaceName, string | undefined> = {
  lists: '/components/schemas/FieldErrors',
  registrar: '/components/schemas/RegistrarError',
  registrant: '/components/schemas/FieldErrors',
  auction: '/components/schemas/AuctionNotFound',
  page: undefined,
  other: '/components/schemas/FieldErrors',
};

/** Headers of HTTP itself, of the platform and the local runtime, and those that the document names once for all answers. */
const ordinary = new Set([
  ...['connection', 'content-encoding', 'content-language', 'content-length', 'content-type'],
  ...['date', 'keep-alive', 'transfer-encoding'],
  ...['cache-tag', 'cloudflare-cdn-cache-control', 'mf-content-encoding'],
  ...['content-security-policy', 'referrer-policy', 'strict-transport-security'],
  ...['x-content-type-options', 'x-frame-options'],
]);

function responseProblem(
  at: string,
  asked: Asked,
  { headers, body }: Answered,
): string | undefined {
  const { pointer, value } = resolved(at);
  const { headers: listed = {}, content } = value as unknown as oas31.ResponseObject;
  const names = new Set(Object.keys(listed).map((name) => name.toLowerCase()));
  const surplus = Object.keys(headers).find((name) => !names.has(name) && !ordinary.has(name));
  if (surplus) return `the header ${surplus} is not documented`;
  for (const name of Object.keys(listed)) {
    const problem = headerProblem(`${pointer}/headers/${name}`, headers[name.toLowerCase()]);
    if (problem) return `the header ${name} ${problem}`;
  }
  if (!content || asked.method === 'HEAD') return body && 'a body where there is none';
  const [type = ''] = String(headers['content-type']).split(';');
  if (!content[type]) return `the content type ${type} is not documented`;
  if (type !== 'application/json') return undefined;
  return bodyProblem(`${pointer}/content/application~1json/schema`, body, asked);
}

function headerProblem(at: string, given: string | string[] | undefined): string | undefined {
  const { required, schema } = resolved(at).value as {
    required?: boolean;
    schema: oas31.SchemaObject;
  };
  if (given === undefined) return required ? 'is missing' : undefined;
  const isWrong =
    (schema.pattern && !new RegExp(schema.pattern).test(String(given))) ||
    (schema.enum && !schema.enum.includes(given));
  return isWrong ? `is ${given}` : undefined;
}

function bodyProblem(pointer: string, body: string, { method }: Asked): string | undefined {
  if (method === 'HEAD') return body && 'a body where there is none';
  const validate =
    validators.get(pointer) ?? contract!.ajv.compile({ $ref: `${documentId}#${pointer}` });
  validators.set(pointer, validate);
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return 'the body is not JSON';
  }
  if (validate(value)) return undefined;
  return validate.errors
    ?.map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    )
    .join('; ');
}

/**
 * The problem of an answer on the path as it was routed. The local runtime nearly always resolves dots before the Worker is
 * asked, but not every time: an answer is right if it is right for either path.
 */
export function problemOnEachPath(
  sent: string,
  problemOn: (path: string) => string | undefined,
): string | undefined {
  const [given = ''] = sent.split(/[?#]/);
  const problem = problemOn(routedPath(withoutDots(given)));
  return problem && withoutDots(given) !== given
    ? problemOn(routedPath(given)) && problem
    : problem;
}

function withoutDots(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split('/').slice(1)) {
    if (segment === '..') segments.pop();
    else if (segment !== '.') segments.push(segment);
  }
  return `/${segments.join('/')}`;
}

/** Percent-encoding is undone where it is UTF-8, and a trailing slash dropped. */
function routedPath(path: string): string {
  const decoded = path.replaceAll('%25', '%2525').replace(/(%[0-9a-f]{2})+/gi, (encoded) => {
    try {
      return decodeURI(encoded);
    } catch {
      return encoded;
    }
  });
  return decoded.replace(/(?<=.)\/$/, '');
}

const documentId = 'openapi.json';

function readContract(): Contract {
  const document = JSON.parse(readFileSync('.wrangler/assets/openapi.json', 'utf8'));
  close(document);
  // The document is not a schema itself, only what its parts are found in.
  const ajv = new Ajv2020({ strict: false, validateSchema: false });
  addFormats.default(ajv);
  ajv.addSchema(document, documentId);
  const paths = Object.entries(document.paths as Record<string, Node>)
    .map(([path, item]) => ({ path, pattern: patternOf(path), methods: Object.keys(item) }))
    .sort((a, b) => Number(a.path.includes('{')) - Number(b.path.includes('{')));
  return { document, ajv, paths };
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`);
}

/** Lets objects have no more fields than the document gives them. */
function close(node: unknown): void {
  if (typeof node !== 'object' || node === null) return;
  const schema = node as Node;
  for (const value of Object.values(schema)) close(value);
  if (schema.type === 'object' && schema.properties) schema.additionalProperties ??= false;
}

function pointerTo(...keys: string[]): string {
  return keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function valueAt(pointer: string): unknown {
  const keys = pointer.split('/').slice(1);
  return keys.reduce<unknown>(
    (node, key) => (node as Node | undefined)?.[key.replaceAll('~1', '/').replaceAll('~0', '~')],
    contract!.document,
  );
}

/** What the pointer, or the references that it leads to, point at. */
function resolved(pointer: string): { pointer: string; value: Node } {
  const value = valueAt(pointer) as Node;
  return typeof value.$ref === 'string' ? resolved(value.$ref.slice(1)) : { pointer, value };
}
