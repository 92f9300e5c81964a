import * as z from 'zod';
import {
  type ContactChanges,
  type ContactField,
  type ContactIdentity,
  contactColumns,
  type Sender,
} from '../contact/fields.ts';
import { checkIdentity } from '../contact/rules.ts';
import { clearable } from '../text/field.ts';

/**
 * Bodies with a contact's fields, derived from the one list of fields: `bodyFields` says what a body may contain, and
 * `columnsOf` turns a body into columns.
 */

type Group = NonNullable<ContactField['group']>;

/** Each interface's name for the object around a group of fields. */
const groupNames: Record<Sender, Record<Group, string>> = {
  registrar: { address: 'addr', identity: 'ident' },
  registrant: { address: 'address', identity: 'ident' },
};

type Shape = Record<string, z.ZodType>;

/**
 * The fields that a sender may send, by their names on the wire: required fields first, then optional ones, then the
 * address. A creation must have the required fields. An update may leave out any field, which keeps its value.
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
  const checkedIdentity = identityObject.superRefine((given, context) =>
    checkIdentity(columnsOf(sender, { [names.identity]: given }) as ContactIdentity, context),
  );
  return {
    ...shapeOf(null, true),
    ...(Object.keys(identity).length > 0 && {
      [names.identity]: isCreation ? checkedIdentity : identityObject.optional(),
    }),
    ...shapeOf(null, false),
    [names.address]: z.object(shapeOf('address', false), 'Address is invalid').nullish(),
  };
}

/** The zod type of a field. Every field that clients may send has a rule. */
function typeOf(field: ContactField, isCreation: boolean): z.ZodType {
  const rule = field.rule!();
  if (field.isRequired) return isCreation ? rule : rule.optional();
  return field.isList ? rule.optional() : clearable(rule);
}

/** The columns of a body that `bodyFields` has accepted; undefined if the body does not contain them. */
export function columnsOf(
  sender: Sender,
  body: Record<string, unknown>,
): ContactChanges & Partial<ContactIdentity> {
  const columns: Record<string, unknown> = {};
  for (const [column, field] of sentColumns(sender)) {
    const around = field.group === null ? body : body[groupNames[sender][field.group]];
    // A null address clears each of its parts.
    columns[column] =
      around === null ? null : (around as Shape | undefined)?.[nameIn(sender, field)];
  }
  // Each value has passed its column's rule.
  return columns as ContactChanges & Partial<ContactIdentity>;
}

function sentColumns(sender: Sender) {
  return contactColumns.filter(([, { sentBy }]) => sentBy.includes(sender));
}

/** The name within its group. */
function nameIn(sender: Sender, { registrar, registrant }: ContactField): string {
  const name = sender === 'registrar' ? registrar : registrant;
  return name!.slice(name!.lastIndexOf('.') + 1);
}
