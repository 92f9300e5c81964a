import * as z from 'zod/mini';
import type { Contact } from '../contact/contact.ts';
import {
  type ContactChanges,
  type ContactField,
  type ContactIdentity,
  contactColumns,
  type Sender,
} from '../contact/fields.ts';
import { isRepeated, problemOfIdentity } from '../contact/rules.ts';
import { clearable } from '../text/field.ts';
import { isObject } from './body-shape.ts';

type Group = NonNullable<ContactField['group']>;

const groupNames: Record<Sender, Record<Group, string>> = {
  registrar: { address: 'addr', identity: 'ident' },
  registrant: { address: 'address', identity: 'ident' },
};

type Shape = Record<string, z.ZodMiniType>;

/**
 * The fields that a sender may send, by their wire names. Only a creation must have the required ones; an update keeps
 * the value of a field that is left out.
 */
export function bodyFields(sender: Sender, { isCreation }: { isCreation: boolean }): Shape {
  const shapeOf = (group: Group | null, isRequired: boolean): Shape =>
    Object.fromEntries(
      sentColumns(sender)
        .filter(([, field]) => field.group === group && field.isRequired === isRequired)
        .map(([, field]) => [nameIn(sender, field), typeOf(field, isCreation)]),
    );
  const identity = shapeOf('identity', true);
  const names = groupNames[sender];
  const identityObject = z.object(identity, 'Ident is invalid');
  const checkedIdentity = identityObject.check(({ value: input, issues }) => {
    const given = columnsOf(sender, { [names.identity]: input }) as ContactIdentity;
    const problem = problemOfIdentity(given);
    if (!problem) return;
    const { reason, message } = problem;
    issues.push({ code: 'custom', message, params: { reason }, input });
  });
  return {
    ...shapeOf(null, true),
    ...(Object.keys(identity).length > 0 && {
      [names.identity]: isCreation ? checkedIdentity : z.optional(identityObject),
    }),
    ...shapeOf(null, false),
    [names.address]: z.nullish(z.object(shapeOf('address', false), 'Address is invalid')),
  };
}

/** The zod type of a field. Every field that clients may send has a rule. */
function typeOf(field: ContactField, isCreation: boolean): z.ZodMiniType {
  const rule = field.rule!();
  if (field.isRequired) return isCreation ? rule : z.optional(rule);
  return field.isList ? z.optional(rule) : clearable(rule);
}

/**
 * The fields of an update, undefined where they repeat the value on record. A repeated value is not judged, so a client
 * can send back all that it has read, even what a former registry accepted.
 */
export function withoutRepeated(sender: Sender, given: unknown, contact: Contact): unknown {
  if (!isObject(given)) return given;
  const rest = { ...given };
  const { address } = groupNames[sender];
  if (rest[address] === null) rest[address] = clearedAddress(sender);
  for (const [column, field] of sentColumns(sender)) {
    const name = nameIn(sender, field);
    const group = field.group && groupNames[sender][field.group];
    const around = group === null ? rest : rest[group];
    if (!isObject(around) || !Object.hasOwn(around, name)) continue;
    if (!isRepeated(column, around[name], contact[column])) continue;
    if (group === null) rest[name] = undefined;
    else rest[group] = { ...around, [name]: undefined };
  }
  return rest;
}

function clearedAddress(sender: Sender): Record<string, null> {
  const parts = sentColumns(sender).filter(([, { group }]) => group === 'address');
  return Object.fromEntries(parts.map(([, field]) => [nameIn(sender, field), null]));
}

/** The columns of a body that `bodyFields` has accepted; undefined where it leaves them out. */
export function columnsOf(
  sender: Sender,
  body: Record<string, unknown>,
): ContactChanges & Partial<ContactIdentity> {
  const columns: Record<string, unknown> = {};
  for (const [column, field] of sentColumns(sender)) {
    const around = field.group === null ? body : body[groupNames[sender][field.group]];
    columns[column] = (around as Shape | null | undefined)?.[nameIn(sender, field)];
  }
  // Each value has passed its column's rule.
  return columns as ContactChanges & Partial<ContactIdentity>;
}

function sentColumns(sender: Sender) {
  return contactColumns.filter(([, { sentBy }]) => sentBy.includes(sender));
}

function nameIn(sender: Sender, { registrar, registrant }: ContactField): string {
  const name = sender === 'registrar' ? registrar : registrant;
  return name!.slice(name!.lastIndexOf('.') + 1);
}
