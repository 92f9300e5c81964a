import { sql } from 'drizzle-orm';
import type * as z from 'zod/mini';
import { type Claim, claims, contacts, domainContacts, domains } from '../../drizzle/schema.ts';
import { derivedStatuses, generateAuthInfo } from '../contact/contact.ts';
import { insertContacts } from '../contact/create.ts';
import {
  columnsOfClaim,
  contactColumns,
  contactFields,
  verificationColumn,
} from '../contact/fields.ts';
import { invalidValues } from '../contact/invalid.ts';
import { keysOf } from '../contact/keys.ts';
import {
  demandRule,
  identityRequestRule,
  reasonIn,
  verificationRule,
} from '../contact/verification-rules.ts';
import { insertRows } from '../database/insert-rows.ts';
import { registrarIdOf } from '../registrar/account.ts';
import { currentTime } from '../time/clock.ts';
import { valueIn } from './conditions.ts';
import { columnOf, type Form, type Kind, type KindColumn, registrarOf } from './kind.ts';
import {
  anyText,
  code,
  country,
  list,
  map,
  type Note,
  positiveInteger,
  presentText,
  type ReadText,
  requiredInstant,
  uuid,
} from './reader.ts';

/** The readers of columns that are not plain text which may be missing. */
const readers: Readonly<Record<string, ReadText>> = {
  uuid,
  code,
  name: presentText,
  ident: presentText,
  identType: presentText,
  identCountryCode: country,
  email: presentText,
  phone: presentText,
  authInfo: (text) => text ?? undefined,
  statuses: storedStatuses,
  statusNotes: map,
  disclosedAttributes: list,
  createdAt: pastInstant,
  updatedAt: pastInstant,
  ...Object.fromEntries(
    Object.values(verificationColumn).map((column) => [column, record(verificationRule)]),
  ),
  verificationDemand: record(demandRule),
  identityRequest: record(identityRequestRule),
};

/** A JSON object by its rule; a former registry may have none, so what is malformed is left out. */
function record(rule: z.ZodMiniType): ReadText {
  return (text, note) => {
    if (text === null) return null;
    const { data, error } = rule.safeParse(objectIn(text));
    if (error) note(`${reasonIn(error)}; it is left out`);
    return error ? null : JSON.stringify(data);
  };
}

/**
 * The form with the verifications that end because their values change. The file may repeat one that has ended: what was
 * checked is not what is on record.
 */
function withEnded(form: Form, here: Form): Form {
  const ended = claims.flatMap((claim) => {
    const { file } = contactFields[verificationColumn[claim]];
    const [given, stored] = [objectIn(form[file]), objectIn(here[file])];
    if (!given || !stored || given.id !== stored.id) return [];
    const isChange = columnsOfClaim(claim, here.ident_type).some((column) => {
      const name = contactFields[column].file!;
      return form[name] !== here[name];
    });
    const isEnd = isChange || stored.result === 'ended';
    return isEnd ? [[file, JSON.stringify({ ...given, result: 'ended' })]] : [];
  });
  return { ...form, ...Object.fromEntries(ended) };
}

function withoutMetDemand(form: Form): Form {
  const demanded = objectIn(form.verification_demand)?.claims as Claim[] | undefined;
  const isMet = demanded?.every((claim) => {
    const verification = objectIn(form[contactFields[verificationColumn[claim]].file]);
    return verification?.result === 'success';
  });
  return isMet ? { ...form, verification_demand: null } : form;
}

function objectIn(text: string | null | undefined): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text ?? 'null');
    return value && typeof value === 'object' ? { ...value } : null;
  } catch {
    return null;
  }
}

/** A list without the statuses that are derived from what is stored. */
function storedStatuses(text: string | null, note: Note) {
  const derived: readonly string[] = derivedStatuses;
  const statuses: string[] = JSON.parse(list(text, note)!);
  return JSON.stringify(statuses.filter((status) => !derived.includes(status)));
}

/** A registrar's changes are in the order of their times, and those to come follow what it has. */
function pastInstant(text: string | null, note: Note) {
  const at = requiredInstant(text, note);
  if (!at || at <= currentTime().toISOString()) return at;
  note('is in the future; it is left out');
  return undefined;
}

const inFiles = contactColumns.flatMap(([field, { file }]) =>
  file === null ? [] : [{ field, file }],
);

export const contactKind: Kind = {
  name: 'contacts',
  subject: 'contact',
  table: contacts,
  columns: {
    id: columnOf(contacts, 'id', positiveInteger),
    registrar: registrarOf(contacts.registrarId),
    ...Object.fromEntries(
      inFiles.map(({ field, file }): [string, KindColumn] => [
        file,
        {
          ...columnOf(contacts, field, readers[field] ?? anyText),
          ...(field === 'authInfo' && { isSecret: true }),
        },
      ]),
    ),
  },
  key: ['code'],
  required: ['id', 'registrar'],
  fixed: ['id', 'uuid', 'registrar'],
  unique: [{ columns: ['id'] }, { columns: ['uuid'] }],
  mayBeOrphan: true,
  missing: () => ({ uuid: crypto.randomUUID(), auth_info: generateAuthInfo() }),
  carried: refusedToday,
  derived: {
    identKey: (form) => keysOfForm(form).identKey,
    nameKey: (form) => keysOfForm(form).nameKey,
    emailKey: (form) => keysOfForm(form).emailKey,
  },
  // A contact that is added, or replaced because one of these differs, gets its id as its number.
  obstacle: sql`exists (
    select 1 from ${contacts}
    where ${contacts.registrarId} = ${registrarIdOf(valueIn('to.registrar'))}
      and ${contacts.number} = cast(${valueIn('to.id')} as integer) and ${contacts.code} <> ${valueIn('to.code')})
    and (${valueIn('from.id')}, ${valueIn('from.uuid')}, ${valueIn('from.registrar')})
      is not (${valueIn('to.id')}, ${valueIn('to.uuid')}, ${valueIn('to.registrar')})`,
  settle: async (form, here) => withoutMetDemand(here ? withEnded(form, here) : form),
  insert: insertContacts,
  heldBy: sql`(select 'domain ' || ${domains.name} from ${domains}
    join ${domainContacts} on ${domainContacts.domainId} = ${domains.id}
    where ${domainContacts.contactId} = ${contacts.id} limit 1)`,
  links: sql`(select json_group_array(json_array(domain_id, role)) from (
    select * from ${domainContacts} where ${domainContacts.contactId} = ${contacts.id} order by domain_id, role))`,
  goingAlong: (db, isGoing) => [
    db
      .delete(domainContacts)
      .where(
        sql`${domainContacts.contactId} in (select ${contacts.id} from ${contacts} where ${isGoing})`,
      ),
  ],
  following(db, written) {
    const link = {
      domainId: sql`link.value ->> 0`,
      contactId: valueIn('to.id'),
      role: sql`link.value ->> 1`,
    };
    const links = sql`from ${written}, json_each(row.value ->> 'links') as link where true`;
    return [insertRows(db, domainContacts, link, links).onConflictDoNothing()];
  },
};

function keysOfForm({ ident, name, email }: Form) {
  return keysOf({ ident: ident ?? '', name: name ?? '', email: email ?? '' });
}

/** The values that a registrar could not send today. */
function refusedToday(form: Form, now: Date) {
  const values = inFiles.map(({ field, file }) => {
    const text = form[file] ?? null;
    return [field, readers[field] === list ? JSON.parse(text ?? '[]') : text];
  });
  return invalidValues(Object.fromEntries(values), now).map(({ field, reason, message }) => ({
    column: field,
    why: reason === 'missing' ? 'is missing' : message,
  }));
}
