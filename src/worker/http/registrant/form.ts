import { RegistryError } from '../../../base/error.ts';
import type { AppContext } from '../request/context.ts';
import { utf8 } from '../request/input.ts';

type Parameter = ReturnType<typeof nested>;

const maximumParameters = 100;

export function isForm(c: AppContext): boolean {
  return /^application\/x-www-form-urlencoded\s*(;|$)/i.test(c.req.header('Content-Type') ?? '');
}

/**
 * Parses the body as web forms nest it: `address[street]=…` is a part of an object, `disclosed_attributes[]=name` an
 * element of a list. Throws `malformed` for more than 100 parameters, and for what is not percent-encoded UTF-8.
 */
export async function formBody(c: AppContext): Promise<Record<string, unknown>> {
  try {
    const text = utf8.decode(await c.req.arrayBuffer());
    // Throws for invalid UTF-8, which URLSearchParams replaces.
    decodeURIComponent(text);
    const parameters = Array.from(new URLSearchParams(text), nested);
    if (parameters.length > maximumParameters) throw new TypeError('too many parameters');
    const fields = Map.groupBy(parameters, ({ field }) => field);
    return Object.fromEntries([...fields].map(([field, given]) => [field, fieldValue(given)]));
  } catch {
    throw new RegistryError('malformed', 'Request body is not a valid form');
  }
}

/** `field[part]=value`, or a field without parts. */
function nested([name, value]: [string, string]) {
  const [, field = name, part] = /^([^[]+)\[(.*)\]$/s.exec(name) ?? [];
  return { field, part, value };
}

function fieldValue(given: readonly Parameter[]): unknown {
  const isList = given.every(({ part }) => part !== undefined && /^\d*$/.test(part));
  // A form sends an empty list as one empty element.
  if (isList) return given.map(({ value }) => value).filter((value) => value !== '');
  if (given.every(({ part }) => part === undefined)) return oneOrAll(given);
  const parts = Map.groupBy(given, ({ part = '' }) => part);
  return Object.fromEntries([...parts].map(([part, same]) => [part, oneOrAll(same)]));
}

function oneOrAll(same: readonly Parameter[]): unknown {
  const values = same.map(({ value }) => value);
  return values.length === 1 ? values[0] : values;
}
