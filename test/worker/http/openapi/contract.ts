import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { oas31 } from 'zod-openapi';
import { interfaceOf } from '../../../../src/worker/http/app.ts';
import { cachingProblem } from '../cache-control.ts';
import { documentProblem } from '../site/document.ts';

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

/** The problem of an answer, if there is one. A path that the document does not have may only be refused. */
export function contractProblem(asked: Asked, answered: Answered): string | undefined {
  // The runtime's own parser: the service never saw the request.
  if (answered.status === 400 && answered.body === 'invalid URI') return undefined;
  const { status, headers } = answered;
  const caching = headers['cache-control'] as string | undefined;
  return problemOnEachPath(
    asked.path,
    (path) => cachingProblem(path, status, caching) ?? problemAt(path, asked, answered),
  );
}

function problemAt(path: string, asked: Asked, answered: Answered): string | undefined {
  const { status } = answered;
  contract ??= readContract();
  const fitting = contract.paths.filter(({ pattern }) => pattern.test(path));
  if (fitting.length === 0) return problemElsewhere(path, asked, answered);
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

/** The problem of a request that a webhook has received, if there is one. */
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

const staticTypes: Record<string, string> = {
  '': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
};

/** The problem of an answer on a path that the document does not have. */
function problemElsewhere(path: string, asked: Asked, answered: Answered): string | undefined {
  const { status, headers } = answered;
  const isSandbox = path.startsWith('/sandbox/');
  const isStatic = /^\/(docs|assets|openapi\.json)(\/|$)/.test(path);
  // The platform answers for static files without an id; what it leaves to the Worker is refused.
  const isOther = isSandbox ? status === 200 : isStatic && headers['x-request-id'] === undefined;
  if (!isOther) return refusalProblem(path, asked, answered);
  if (status >= 500) return `status ${status}`;
  const expected = isSandbox ? 'application/json' : staticTypes[extname(path)];
  const [type] = String(headers['content-type']).split(';');
  return status === 200 && type !== expected ? `the content type is ${type}` : undefined;
}

/** The problem of a refusal, which must be as one of the refusals of the interface that the path belongs to. */
function refusalProblem(path: string, asked: Asked, answered: Answered): string | undefined {
  const { status } = answered;
  if (status < 400) return `the path is not documented, and its status is ${status}`;
  const problems = refusalsAt(path, status).map((at) => responseProblem(at, asked, answered));
  return problems.every(Boolean) ? problems[0] : undefined;
}

/** The refusals of the path's interface with this status; a status that none has is answered as a failure is. */
function refusalsAt(path: string, status: number): string[] {
  const responses = contract!.paths
    .filter((known) => interfaceOf(known.path) === interfaceOf(path))
    .flatMap((known) =>
      known.methods.map((method) => pointerTo('paths', known.path, method, 'responses')),
    );
  const refusalsWith = (code: number) =>
    responses.map((at) => `${at}/${code}`).filter((at) => valueAt(at) !== undefined);
  const own = refusalsWith(status);
  const pointers = (own.length > 0 ? own : refusalsWith(500)).map((at) => resolved(at).pointer);
  return [...new Set(pointers)];
}

/** Headers of HTTP itself, of the platform and the local runtime, and those that the document names once for all answers. */
const ordinary = new Set([
  ...['connection', 'content-encoding', 'content-length', 'content-type'],
  ...['date', 'keep-alive', 'transfer-encoding'],
  ...['cloudflare-cdn-cache-control', 'mf-content-encoding'],
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
  if (!content) return body && 'a body where there is none';
  const [type = ''] = String(headers['content-type']).split(';');
  if (!content[type]) return `the content type ${type} is not documented`;
  // The document describes no form but JSON and pages.
  if (!/json|html/.test(type)) return undefined;
  const isJson = type === 'application/json';
  return bodyProblem(
    isJson ? `${pointer}/content/application~1json/schema` : undefined,
    body,
    asked,
  );
}

function headerProblem(at: string, given: string | string[] | undefined): string | undefined {
  const { pointer, value } = resolved(at);
  if (given === undefined) return value.required ? 'is missing' : undefined;
  return validatorOf(`${pointer}/schema`)(String(given)) ? undefined : `is ${given}`;
}

/** The problem of a JSON body, or of a page where there is no schema. */
function bodyProblem(
  schema: string | undefined,
  body: string,
  { method }: Asked,
): string | undefined {
  if (method === 'HEAD') return body && 'a body where there is none';
  if (schema === undefined) return documentProblem(body);
  const validate = validatorOf(schema);
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

function validatorOf(schema: string): ValidateFunction {
  const known = validators.get(schema);
  const validate = known ?? contract!.ajv.compile({ $ref: `${documentId}#${schema}` });
  validators.set(schema, validate);
  return validate;
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

/** The path as the URL parser reads it, to which a backslash is a slash. */
function withoutDots(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split(/[/\\]/).slice(1)) {
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

/** The value at the pointer, or at the end of the references that it leads to. */
function resolved(pointer: string): { pointer: string; value: Node } {
  const value = valueAt(pointer) as Node;
  return typeof value.$ref === 'string' ? resolved(value.$ref.slice(1)) : { pointer, value };
}
