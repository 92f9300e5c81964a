/** A text, the parts of an object, or several of these. */
type Field = string | Map<string, Field> | Field[];

const maximumParameters = 100;

/**
 * Reads `application/x-www-form-urlencoded` with brackets, as portals send it: `address[street]=…` is a part of
 * `address`, `disclosed_attributes[]=…` or `[0]=…` an element of a list, and a field that is given twice is a list.
 * A name with other brackets is taken as it stands. Throws a RangeError for more than 100 parameters and a URIError
 * for what is not percent-encoded UTF-8.
 */
export function parseFormBody(text: string): Record<string, unknown> {
  const parameters = text.split('&').filter((parameter) => parameter !== '');
  if (parameters.length > maximumParameters) throw new RangeError('too many parameters');
  const fields = new Map<string, Field>();
  for (const parameter of parameters) {
    const [name = '', ...value] = parameter.split('=');
    setParameter(fields, decode(name), decode(value.join('=')));
  }
  return objectOf(fields);
}

function setParameter(fields: Map<string, Field>, name: string, value: string): void {
  const [, field, part] = /^([^[\]]+)\[([^[\]]*)\]$/.exec(name) ?? [];
  if (field === undefined || part === undefined) {
    add(fields, name, value);
  } else if (/^\d*$/.test(part)) {
    add(fields, field, [value]);
  } else {
    const known = fields.get(field);
    const parts = known instanceof Map ? known : new Map<string, Field>();
    add(parts, part, value);
    if (parts !== known) add(fields, field, parts);
  }
}

function add(fields: Map<string, Field>, name: string, field: Field): void {
  const known = fields.get(name);
  fields.set(name, known === undefined ? field : [known, field].flat());
}

function decode(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}

/** As JSON.parse makes objects: a field named `__proto__` is one like any other. */
function objectOf(fields: Map<string, Field>): Record<string, unknown> {
  const entries = [...fields].map(([name, field]) => [name, plain(field)] as const);
  return Object.fromEntries(entries);
}

function plain(field: Field): unknown {
  if (field instanceof Map) return objectOf(field);
  return Array.isArray(field) ? field.map(plain) : field;
}
