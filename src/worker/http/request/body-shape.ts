import * as z from 'zod/mini';
import { isBlank } from '../../../base/text/field.ts';

/** The paths of the fields that the zod type of a body does not know. */
export function unknownFields(shape: z.ZodMiniObject, body: object, prefix = ''): string[] {
  return Object.entries(body).flatMap(([name, value]) => {
    const path = prefix + name;
    const inner = fieldOf(shape, name);
    if (!inner) return [path];
    // A field of an element is named as a field of its list.
    const type = inner instanceof z.ZodMiniArray ? inner.def.element : inner;
    return [value]
      .flat()
      .flatMap((each) =>
        type instanceof z.ZodMiniObject && isObject(each)
          ? unknownFields(type, each, `${path}.`)
          : [],
      );
  });
}

/** A sentence about a value where an object is expected: which fields it has. */
export function objectDetail(
  shape: z.ZodMiniObject,
  body: unknown,
  path: readonly PropertyKey[],
): string | undefined {
  let type: z.core.$ZodType | undefined = shape;
  let value: unknown = body;
  for (const name of path) {
    type = type instanceof z.ZodMiniObject ? fieldOf(type, String(name)) : undefined;
    value = isObject(value) ? value[String(name)] : undefined;
  }
  if (!(type instanceof z.ZodMiniObject) || isBlank(value)) return undefined;
  const known = Object.keys(type.shape).join(', ');
  if (!isObject(value)) return `An object is expected, with the fields ${known}.`;
  const given = Object.keys(value);
  if (given.length === 0 || given.some((name) => fieldOf(type, name))) return undefined;
  return `None of its fields is known here, which are ${known}.`;
}

/** Strips `optional` and `nullable`; undefined for an unknown field. */
function fieldOf(shape: z.ZodMiniObject, name: string): z.core.$ZodType | undefined {
  if (!Object.hasOwn(shape.shape, name)) return undefined;
  let type = shape.shape[name];
  while (type instanceof z.ZodMiniOptional || type instanceof z.ZodMiniNullable)
    type = type.def.innerType;
  return type;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
