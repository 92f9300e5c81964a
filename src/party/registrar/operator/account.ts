import { and, asc, eq } from 'drizzle-orm';
import { registrars } from '../../../../drizzle/schema.ts';
import { parseAddressList } from '../../../base/address-list.ts';
import type { Database } from '../../../base/database/open.ts';
import { retry } from '../../../base/database/retry.ts';
import { RegistryError } from '../../../base/error.ts';
import { textField } from '../../../base/text/field.ts';
import { type Changes, difference } from '../../../change/history/changes.ts';
import type { Operation } from '../../../change/origin.ts';
import { type Change, changeOf, write } from '../../../change/write.ts';
import { isAsSeen } from '../../credential/holder.ts';
import { getRegistrar, type Registrar, selectRegistrars } from '../account.ts';
import { generateWebhookSecret, webhookStatements } from '../webhook.ts';
import { type Channel, channelValues } from './channels.ts';

/** A blank channel counts as absent. */
type ChannelTexts = Partial<Record<Channel, string | undefined>>;

export async function listRegistrars(db: Database): Promise<Registrar[]> {
  return selectRegistrars(db).orderBy(asc(registrars.code));
}

/** Throws `not_found` for an unknown code. */
export async function checkRegistrar(db: Database, code: string | undefined): Promise<void> {
  if (code !== undefined) await retry(() => getRegistrar(db, code));
}

/** Leaves room for a suffix of 67 characters in a contact code. */
export const registrarCodePattern = /^[A-Z0-9_-]{1,32}$/;
export const registrarCodeRule = 'use 1 to 32 of A-Z, 0-9, _ and -';

/**
 * Adds a registrar. `allowedIps` are addresses and CIDR ranges; an empty list allows every address. Throws `invalid`,
 * `taken`.
 */
export async function addRegistrar(
  operation: Operation,
  input: Pick<Registrar, 'code' | 'name' | 'allowedIps'> & ChannelTexts,
): Promise<Registrar> {
  const { db, origin } = operation;
  const { code } = input;
  if (!registrarCodePattern.test(code)) {
    const message = `${JSON.stringify(code)} is not a registrar code: ${registrarCodeRule}`;
    throw new RegistryError('invalid', message, 'code');
  }
  const [name, allowedIps] = [registrarName(input.name), addressEntries(input.allowedIps)];
  const noChannels = { phone: null, email: null, website: null };
  const described = { code, name, allowedIps, ...noChannels, ...channelValues(input) };
  const at = origin.request.at.toISOString();
  const row = { ...described, createdAt: at, updatedAt: at };
  const initial = {
    contactCount: 0,
    suspendedAt: null,
    webhookUrl: null,
    webhookFailingSince: null,
  };
  const look = () => db.$count(registrars, eq(registrars.code, code));
  const judge = (same: number): Change<Registrar> => {
    if (same > 0) throw new RegistryError('taken', `there is already a registrar ${code}`, 'code');
    return {
      ...changeOf(operation, { type: 'registrar', key: code }),
      action: 'create',
      changes: difference({}, described),
      statements: [db.insert(registrars).values(row)],
      outcome: { ...row, ...initial },
    };
  };
  return (await write(db, origin.request, { look, judge }, operation)).outcome;
}

/** Undefined fields stay as they are. A blank channel is removed. */
export interface RegistrarChanges extends ChannelTexts {
  name?: string | undefined;
  allowedIps?: string[] | undefined;
  /** Null removes the webhook. `parseWebhookUrl` reads a URL. */
  webhookUrl?: string | null | undefined;
  /** The reason to refuse all logins, kept in the history; null allows them again. */
  suspension?: string | null | undefined;
}

interface UpdatedRegistrar {
  registrar: Registrar;
  changes: Changes;
  webhookSecret?: string;
}

/**
 * Changes a registrar. Any URL of a webhook, even the same, creates a new secret, returned only here; a dry run returns
 * none. Throws `not_found`, `invalid`.
 */
export async function updateRegistrar(
  operation: Operation,
  code: string,
  input: RegistrarChanges,
): Promise<UpdatedRegistrar> {
  const { db, origin, isDryRun } = operation;
  const { webhookUrl: url, suspension } = input;
  // The old secret ends at once, because it may have leaked.
  const fresh = { secret: generateWebhookSecret(), replacedSecrets: [], goneAt: null };
  const webhook = typeof url === 'string' ? { url, ...fresh } : url;
  const updatedAt = origin.request.at.toISOString();
  const newChannels = channelValues(input);
  const look = () => getRegistrar(db, code);
  const judge = (current: Awaited<ReturnType<typeof look>>): Change<UpdatedRegistrar> => {
    const isSuspended =
      suspension === undefined ? current.suspendedAt !== null : suspension !== null;
    const { phone, email, website } = current;
    const row = {
      ...{ phone, email, website, ...newChannels },
      suspendedAt: isSuspended ? (current.suspendedAt ?? updatedAt) : null,
      name: input.name === undefined ? current.name : registrarName(input.name),
      allowedIps: input.allowedIps ? addressEntries(input.allowedIps) : current.allowedIps,
    };
    const changes = difference(current, {
      ...row,
      webhookUrl: url,
      webhookSecret: webhook?.secret,
    });
    if (changes.suspendedAt && suspension) changes.reason = { from: null, to: suspension };
    const update = {
      ...changeOf(operation, { type: 'registrar', key: code }),
      action: 'update',
      changes,
    } as const;
    if (Object.keys(changes).length === 0) {
      return { ...update, outcome: { registrar: current, changes } };
    }
    const webhookState = webhook !== undefined && { webhookUrl: url, webhookFailingSince: null };
    return {
      ...update,
      // A change of the webhook also updates the registrar.
      onlyIf: isAsSeen(registrars, { id: current.id, updatedAt: current.updatedAt }),
      statements: [
        db
          .update(registrars)
          .set({ ...row, updatedAt })
          .where(and(eq(registrars.id, current.id), update.isWritten)),
        ...webhookStatements(db, current.id, webhook, {
          at: updatedAt,
          condition: update.isWritten,
        }),
      ],
      outcome: { registrar: { ...current, ...row, ...webhookState, updatedAt }, changes },
    };
  };
  const { outcome } = await write(db, origin.request, { look, judge }, { isDryRun });
  return isDryRun ? outcome : { ...outcome, webhookSecret: webhook?.secret };
}

function registrarName(text: string): string {
  const message = 'the name must have 1 to 255 characters and no control characters';
  const name = textField(message, 255).safeParse(text);
  if (name.success) return name.data;
  throw new RegistryError('invalid', message, 'name');
}

export function addressEntries(texts: string[]): string[] {
  const entries = [...new Set(texts.map((entry) => entry.trim()))];
  try {
    parseAddressList(entries);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new RegistryError('invalid', error.message, 'allow_ip');
  }
  return entries;
}
