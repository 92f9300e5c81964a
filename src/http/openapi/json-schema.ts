import type { ZodOpenApiOverride } from 'zod-openapi';

type Node = Record<string, unknown>;

/** Where a schema was a field that may be cleared. */
const clearable = 'x-clearable';

/**
 * Keeps what zod's JSON Schema loses of types that transform: defaults, and which fields null or the empty string clears
 * (in zod, a preprocessing before the field's own rule).
 */
export const keepInput: ZodOpenApiOverride = ({ zodSchema, jsonSchema, io }) => {
  if (io !== 'input') return;
  const { def } = zodSchema._zod;
  if (def.type === 'default') jsonSchema.default = def.defaultValue;
  if (def.type === 'pipe' && def.in._zod.def.type === 'transform') {
    Object.assign(jsonSchema, { [clearable]: true });
  }
};

/** Says in JSON Schema what zod's own output says at length, or leaves to its checks. Changes the document. */
export function tidy(node: unknown): void {
  if (Array.isArray(node)) {
    for (const each of node) tidy(each);
    return;
  }
  if (typeof node !== 'object' || node === null) return;
  const schema = node as Node;
  for (const [key, value] of Object.entries(schema)) {
    if (!['example', 'examples', 'default', 'const', 'enum'].includes(key)) tidy(value);
  }
  joinNull(schema);
  tidyClearable(schema);
  tidyNumber(schema);
  // Answers may get new fields: clients ignore what they do not know.
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  // The format says the same as zod's long pattern.
  if (typeof schema.format === 'string') delete schema.pattern;
  // So do the names of properties, which are text, and the description of a parameter.
  delete schema.propertyNames;
  if (typeof schema.in === 'string') delete (schema.schema as Node | undefined)?.description;
}

/** `anyOf` a simple type and null is a type of two. */
function joinNull(schema: Node): void {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return;
  const [inner, none] = anyOf as [Node, Node];
  if (none.type !== 'null' || typeof inner.type !== 'string' || inner.const !== undefined) return;
  delete schema.anyOf;
  Object.assign(schema, inner, rest, { type: [inner.type, 'null'] });
  if (Array.isArray(inner.enum)) schema.enum = [...inner.enum, null];
}

/** The empty string clears the field as null does. */
function tidyClearable(schema: Node): void {
  if (!schema[clearable]) return;
  delete schema[clearable];
  delete schema.minLength;
  if (typeof schema.pattern === 'string') schema.pattern = `^$|${schema.pattern}`;
  if (Array.isArray(schema.anyOf)) schema.anyOf.push({ const: '' });
}

/** Numbers in a query are validated as text. Limits that every number in JSON has say nothing. */
function tidyNumber(schema: Node): void {
  const values = [schema.const, schema.enum].flat().filter((value) => value !== undefined);
  if (schema.type === 'number' && values.length > 0 && values.every(Number.isInteger)) {
    schema.type = 'integer';
  }
  if (schema.type === 'string' && typeof schema.minimum === 'number') {
    schema.type = 'integer';
    delete schema.pattern;
  }
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
}
