import * as z from 'zod/mini';
import { orRefusal, type Problem, RegistryError } from '../../../base/error.ts';
import { clearable, isBlank } from '../../../base/text/field.ts';
import { currentTime } from '../../../base/time/clock.ts';
import type { Contact } from '../../../contact/contact.ts';
import {
  type ContactChanges,
  type ContactField,
  type ContactIdentity,
  contactColumns,
  type Sender,
} from '../../../contact/fields.ts';
import { identityProblem } from '../../../contact/identity.ts';
import { isRepeated } from '../../../contact/rules.ts';
import { isObject, parsed } from './input.ts';

type Group = NonNullable<ContactField['group']>;

const groupNames: Record<Sender, Record<Group, string>> = {
  registrar: { address: 'addr', identity: 'ident' },
  registrant: { address: 'address', identity: 'ident' },
};

type Shape = Record<string, z.ZodMiniType>;

/**
 * The fields that a sender may send, by their wire names. Only a creation needs the required ones.
 */
export function bodyFields(sender: Sender, { isCreation }: { isCreation: boolean }): Shape {
  const sent = sentFields(sender);
  const shapeOf = (wanted: string | null, isRequired: boolean): Shape =>
    Object.fromEntries(
      sent
        .filter(({ group, field }) => group === wanted && field.isRequired === isRequired)
        .map(({ name, field }) => [name, typeOf(field, isCreation)]),
    );
  const names = groupNames[sender];
  const identity = shapeOf(names.identity, true);
  const identityObject = z.object(identity, 'Ident is invalid');
  const checkedIdentity = identityObject.check(({ value: input, issues }) => {
    const given = columnsOf(sender, { [names.identity]: input }) as ContactIdentity;
    const problem = identityProblem(given, currentTime());
    if (!problem) return;
    const { reason, message, detail } = problem;
    issues.push({ code: 'custom', message, params: { reason, detail }, input });
  });
  return {
    ...shapeOf(null, true),
    ...(Object.keys(identity).length > 0 && {
      [names.identity]: isCreation ? checkedIdentity : z.optional(identityObject),
    }),
    ...shapeOf(null, false),
    [names.address]: z.nullish(z.object(shapeOf(names.address, false), 'Address is invalid')),
    ...Object.fromEntries(
      sent
        .filter(({ isBeside, name }) => isBeside && name !== names.identity)
        .map(({ name, field }) => [name, typeOf(field, false)]),
    ),
  };
}

/** The zod type of a field. Every field that clients may send has a rule. */
function typeOf(field: ContactField, isCreation: boolean): z.ZodMiniType {
  const rule = field.rule!();
  if (field.isRequired) return isCreation ? rule : z.optional(rule);
  return field.isList ? z.optional(rule) : clearable(rule);
}

/** Marks two different values of a field. No body can contain it, so the field's rule refuses it. */
const givenTwice = Symbol();

/** Moves each field into its group, also from the form of responses. */
export function inGroups(sender: Sender, given: unknown): unknown {
  if (!isObject(given)) return given;
  const rest: Record<string, unknown> = { ...given };
  for (const group of Object.values(groupNames[sender])) {
    const loose = sentFields(sender).filter((field) => {
      const isGroup = field.name === group && isObject(given[group]);
      const isGiven = Object.hasOwn(given, field.name) && !isGroup;
      return isGiven && field.group === group && field.isBeside;
    });
    const names = loose.map(({ name }) => name);
    // A blank value under the group's own name means the whole group.
    if (names.length === 0 || (names.join() === group && isBlank(given[group]))) continue;
    const around = names.includes(group) || !Object.hasOwn(given, group) ? {} : given[group];
    // Null clears every field of the address.
    const inside = around === null ? clearedAddress(sender) : around;
    if (!isObject(inside)) continue;
    const fields: Record<string, unknown> = { ...inside };
    for (const { column, name } of loose) {
      const isSame = !Object.hasOwn(inside, name) || isRepeated(column, given[name], inside[name]);
      fields[name] = isSame ? given[name] : givenTwice;
      delete rest[name];
    }
    rest[group] = fields;
  }
  return rest;
}

const wrapped = 'Expected: {"contact": {…}}.';

/**
 * Parses the contact of a body, in groups, by its zod type. Throws all problems, by the body's own field names.
 */
export function parsedContact<Shape extends z.ZodMiniObject>(
  shape: Shape,
  given: unknown,
  contact: unknown,
): z.output<Shape> {
  const result = orRefusal(() => parsed(shape, { contact }));
  if (!(result instanceof RegistryError)) return result;
  const problems = result.problems.map((problem) => {
    if (given === undefined) return { ...problem, detail: wrapped };
    const [, group, name] = problem.field?.split('.') ?? [];
    if (name === undefined || !isObject(given) || !Object.hasOwn(given, name)) return problem;
    const around = given[group!];
    const isInGroup = isObject(around) && (name === group || Object.hasOwn(around, name));
    return isInGroup ? problem : { ...problem, field: `contact.${name}` };
  });
  throw new RegistryError(problems as [Problem, ...Problem[]]);
}

/**
 * The fields of an update, undefined for repeated values. A repeated value is not validated, so that a client can send back a whole contact.
 */
export function withoutRepeated(sender: Sender, given: unknown, contact: Contact): unknown {
  if (!isObject(given)) return given;
  const rest = { ...given };
  const { address } = groupNames[sender];
  if (rest[address] === null) rest[address] = clearedAddress(sender);
  for (const { column, name, group } of sentFields(sender)) {
    // The field's container: the body, or a group in it, such as `addr`.
    const around = group === null ? rest : rest[group];
    if (!isObject(around) || !Object.hasOwn(around, name)) continue;
    if (!isRepeated(column, around[name], contact[column])) continue;
    if (group === null) rest[name] = undefined;
    else rest[group] = { ...around, [name]: undefined };
  }
  return rest;
}

function clearedAddress(sender: Sender): Record<string, null> {
  const { address } = groupNames[sender];
  const parts = sentFields(sender).filter(({ group }) => group === address);
  return Object.fromEntries(parts.map(({ name }) => [name, null]));
}

/** The columns of a body accepted by `bodyFields`. Undefined for absent fields. */
export function columnsOf(
  sender: Sender,
  body: Record<string, unknown>,
): ContactChanges & Partial<ContactIdentity> {
  const columns: Record<string, unknown> = {};
  for (const { column, name, group } of sentFields(sender)) {
    const around = group === null ? body : body[group];
    columns[column] = (around as Shape | null | undefined)?.[name];
  }
  // Each value has passed its column's rule.
  return columns as ContactChanges & Partial<ContactIdentity>;
}

/** The fields that a sender may send, with their names and groups in a body. */
function sentFields(sender: Sender) {
  const sent = contactColumns.filter(([, { sentBy }]) => sentBy.includes(sender));
  return sent.map(([column, field]) => {
    const path = field[sender]!;
    const name = path.slice(path.lastIndexOf('.') + 1);
    const group = field.group && groupNames[sender][field.group];
    /** Responses have the field beside the group: `street`, which a body has in `addr`. */
    const isBeside = group !== null && name === path;
    return { column, field, name, group, isBeside };
  });
}
