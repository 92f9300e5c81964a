import { RegistryError } from '../../../base/error.ts';
import type { AppContext } from '../request/context.ts';
import { isObject, jsonBody, utf8 } from '../request/input.ts';

interface Parameter {
  field: string;
  /** Of `field[part]`. */
  part: string | undefined;
  value: unknown;
}

const maximumParameters = 100;

function isForm(c: AppContext): boolean {
  return /^application\/x-www-form-urlencoded\s*(;|$)/i.test(c.req.header('Content-Type') ?? '');
}

/**
 * Reads a form or JSON, and nests the names of both: `address[street]` is a part of an object, `disclosed_attributes[]` an
 * element of a list. Throws `malformed` for anything else, and for a form of more than 100 parameters.
 */
export async function formOrJsonBody(c: AppContext): Promise<Record<string, unknown>> {
  return isForm(c) ? formBody(c) : nested(Object.entries(await jsonBody(c)));
}

async function formBody(c: AppContext): Promise<Record<string, unknown>> {
  try {
    const text = utf8.decode(await c.req.arrayBuffer());
    // Throws for invalid UTF-8, which URLSearchParams replaces.
    decodeURIComponent(text);
    const parameters = [...new URLSearchParams(text)];
    if (parameters.length > maximumParameters) throw new TypeError('too many parameters');
    return nested(parameters);
  } catch {
    throw new RegistryError('malformed', 'Request body is not a valid form');
  }
}

function nested(given: readonly [name: string, value: unknown][]): Record<string, unknown> {
  const parameters = given.map(([name, value]): Parameter => {
    const [, field = name, part] = /^([^[]+)\[(.*)\]$/s.exec(name) ?? [];
    return { field, part, value };
  });
  const fields = Map.groupBy(parameters, ({ field }) => field);
  return Object.fromEntries([...fields].map(([field, its]) => [field, fieldValue(spread(its))]));
}

/** Turns an object beside its own parts, and a list given as one part, as only JSON has them, into parameters. */
function spread(given: readonly Parameter[]): Parameter[] {
  return given.flatMap((parameter): Parameter | Parameter[] => {
    const { field, part, value } = parameter;
    if (part === undefined && given.length > 1 && isObject(value)) {
      return Object.entries(value).map(([part, value]) => ({ field, part, value }));
    }
    if (part !== undefined && isIndex(part) && Array.isArray(value)) {
      return value.map((value) => ({ field, part, value }));
    }
    return parameter;
  });
}

const isIndex = (part: string) => /^\d*$/.test(part);

function fieldValue(given: readonly Parameter[]): unknown {
  const isList = given.every(({ part }) => part !== undefined && isIndex(part));
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
