import { openApiDocument } from '../../../../src/worker/http/document.openapi.ts';

interface Answer {
  headers?: object;
  content?: Record<string, { examples?: Record<string, { value: unknown }> }>;
}

export interface Operation {
  operationId: string;
  description?: string;
  /** In upper case. */
  method: string;
  path: string;
  /** The first scheme by which the caller logs in. */
  scheme: 'basic' | 'bearer' | 'systemKey' | undefined;
  parameters: { name: string; in: string }[];
  requestBody?: {
    content: {
      'application/json': {
        schema: { $ref: string };
        examples?: Record<string, { value: object }>;
      };
    };
  };
  responses: Record<string, Answer>;
}

/** As it is served. */
export const document = JSON.parse(JSON.stringify(openApiDocument()));

// biome-ignore lint/suspicious/noExplicitAny: a node of any kind
type Node = any;

const resolved = (node: Node): Node =>
  node.$ref
    ?.slice(2)
    .split('/')
    .reduce((inner: Node, key: string) => inner[key], document) ?? node;

/** The calls of the document, with the parameters and the answers that references lead to. */
export const operations: Operation[] = Object.entries<Node>(document.paths).flatMap(
  ([path, item]) =>
    Object.entries<Node>(item).map(
      ([method, { security, parameters = [], responses, ...rest }]) => ({
        ...rest,
        method: method.toUpperCase(),
        path,
        scheme: Object.keys(security[0] ?? {})[0],
        parameters: parameters.map(resolved),
        responses: Object.fromEntries(
          Object.entries(responses).map(([status, answer]) => [status, resolved(answer)]),
        ),
      }),
    ),
);

/** The calls of registrars, each with the body of its first example, and its path for a code and an id. */
export const registrarCalls = operations
  .filter(({ path }) => /^\/repp\/v1\/(contacts|registrar)/.test(path))
  .map(({ method, path, requestBody }) => {
    const [example] = Object.values(requestBody?.content['application/json'].examples ?? {});
    return {
      call: `${method} ${path}`,
      method,
      body: example?.value,
      pathOf: (code: string, id: string | number) =>
        path.replace('{code}', code).replace('{id}', String(id)),
    };
  });
