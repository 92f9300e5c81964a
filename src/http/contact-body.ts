import * as z from 'zod';
import {
  type ContactChanges,
  type ContactField,
  type ContactIdentity,
  contactColumns,
  type Sender,
} from '../contact/fields.ts';
import { checkIdentity } from '../contact/rules.ts';
import { clearable } from '../text-field.ts';

/**
 * Bodies with a contact's fields, made from the one list of fields: `bodyFields` says what a body may hold, and
 * `columnsOf` which columns it means.
 */

type Group = NonNullable<ContactField['group']>;

/** What each interface calls the object around a group of fields. */
const groupNames: Record<Sender, Record<Group, string>> = {
  registrar: { address: 'addr', identity: 'ident' },
  registrant: { address: 'address', identity: 'ident' },
};

const groupMessages: Record<Group, string> = {
  address: 'Address is invalid',
  identity: 'Ident is invalid',
};

type Shape = Record<string, z.ZodType>;

/**
 * The fields that a sender may send, by their names on the wire: required ones first, then optional ones, then the
 * address. In a creation the required ones must be there; in an update each may be left out, which leaves it as it is.
 */
export function bodyFields(sender: Sender, { isCreation }: { isCreation: boolean }): Shape {
  const required = shapeOf(sender, null, isCreation, true);
  const identity = shapeOf(sender, 'identity', isCreation, true);
  const address = shapeOf(sender, 'address', isCreation, false);
  const names = groupNames[sender];
  const identityObject = z.object(identity, groupMessages.identity);
  const checkedIdentity = identityObject.superRefine((given, context) =>
    checkIdentity(columnsOf(sender, { [names.identity]: given }) as ContactIdentity, context),
  );
  return {
    ...required,
    ...(Object.keys(identity).length > 0 && {
      [names.identity]: isCreation ? checkedIdentity : identityObject.partial().optional(),
    }),
    ...shapeOf(sender, null, isCreation, false),
    [names.address]: z.object(address, groupMessages.address).nullish(),
  };
}

function shapeOf(
  sender: Sender,
  group: Group | null,
  isCreation: boolean,
  isRequired: boolean,
): Shape {
  const shape: Shape = {};
  for (const [, field] of sentColumns(sender)) {
    if (field.group !== group || field.isRequired !== isRequired || !field.rule) continue;
    shape[nameIn(sender, field)] = presence(field, field.rule(), isCreation);
  }
  return shape;
}

function presence(field: ContactField, rule: z.ZodType, isCreation: boolean): z.ZodType {
  if (field.isRequired) return isCreation ? rule : rule.optional();
  return field.isList ? rule.optional() : clearable(rule);
}

/** The columns of a body that `bodyFields` has let through; what it does not hold is undefined. */
export function columnsOf(
  sender: Sender,
  body: Record<string, unknown>,
): ContactChanges & Partial<ContactIdentity> {
  const columns: Record<string, unknown> = {};
  for (const [column, field] of sentColumns(sender)) {
    const around = field.group === null ? body : body[groupNames[sender][field.group]];
    // An address that is null as a whole clears each of its parts.
    columns[column] =
      around === null ? null : (around as Shape | undefined)?.[nameIn(sender, field)];
  }
  // Each value has passed the rule of its column.
  return columns as ContactChanges & Partial<ContactIdentity>;
}

function sentColumns(sender: Sender) {
  return contactColumns.filter(([, { sentBy }]) => sentBy.includes(sender));
}

/** The name within its group. Where registrars are not shown the field, it has the registrants' name. */
function nameIn(sender: Sender, { registrar, registrant }: ContactField): string {
  const name = sender === 'registrar' ? registrar : registrant;
  return name!.slice(name!.lastIndexOf('.') + 1);
}
