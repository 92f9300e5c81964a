import type { oas31, ZodOpenApiOverride } from 'zod-openapi';

/**
 * Keeps facts that zod's JSON Schema loses for transforming types: defaults, and that the empty string clears a field like null (in zod, a
 * preprocessing before the field's own rule).
 */
export const keepInput: ZodOpenApiOverride = ({ zodSchema, jsonSchema, io }) => {
  if (io !== 'input') return;
  const { def } = zodSchema._zod;
  if (def.type === 'default') jsonSchema.default = def.defaultValue;
  if (def.type === 'pipe' && def.in._zod.def.type === 'transform') {
    jsonSchema.anyOf?.push({ const: '' });
  }
};

export function tidied<Document>(document: Document): Document {
  return JSON.parse(JSON.stringify(document), (_, node) => {
    if (typeof node === 'object' && node !== null) tidy(node);
    return node;
  });
}

function tidy(schema: oas31.SchemaObject & { in?: string; schema?: oas31.SchemaObject }): void {
  joinNull(schema);
  tidyNumber(schema);
  // Responses may get new fields. Clients must ignore them.
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  // The format says the same as zod's long pattern.
  if (typeof schema.format === 'string') delete schema.pattern;
  // Property names are text, and a parameter has its description outside the schema.
  delete schema.propertyNames;
  if (typeof schema.in === 'string') delete schema.schema?.description;
}

/** Turns `anyOf` of a simple type, null and perhaps the empty string into one schema with two types. */
function joinNull(schema: oas31.SchemaObject): void {
  const { anyOf, ...rest } = schema;
  const [inner, none, empty] = (anyOf ?? []) as oas31.SchemaObject[];
  if (none?.type !== 'null' || typeof inner?.type !== 'string' || inner.const !== undefined) return;
  delete schema.anyOf;
  Object.assign(schema, inner, rest, { type: [inner.type, 'null'] });
  if (inner.enum) schema.enum = [...inner.enum, null];
  if (!empty) return;
  delete schema.minLength;
  if (schema.pattern) schema.pattern = `^$|${schema.pattern}`;
}

/** Numbers in a query are validated as text. Drops limits that hold for every JSON number. */
function tidyNumber(schema: oas31.SchemaObject): void {
  const values = [schema.const, schema.enum].flat().filter((value) => value !== undefined);
  if (schema.type === 'number' && values.length > 0 && values.every(Number.isInteger)) {
    schema.type = 'integer';
  }
  if (schema.type === 'string' && schema.minimum !== undefined) {
    schema.type = 'integer';
    delete schema.pattern;
  }
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
}
