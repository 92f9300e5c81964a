import { and, eq, sql } from 'drizzle-orm';
import { registrars, webhooks } from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';
import { RegistryError } from '../../base/error.ts';
import { timeAfter } from '../../base/time/clock.ts';
import { difference } from '../../change/history/changes.ts';
import { type Change, changeOf, write } from '../../change/write.ts';
import {
  type Caller,
  isApiUser,
  type Login,
  type RegistrarCall,
  readWithLogin,
  withLogin,
} from './login.ts';
import { prohibited } from './own-account.ts';
import { generateWebhookSecret, replacedAt, type Webhook, webhookStatements } from './webhook.ts';

/** The time in which a replaced secret also signs. */
const overlap = 24 * 60 * 60 * 1000;

/** Each lengthens the header of a delivery by 48 characters. */
const maximumReplaced = 4;

interface OwnWebhook {
  caller: Caller;
  url: string | null;
  /** Absent if the secret is unchanged. */
  secret?: string;
  /** Why another URL has brought no new secret. */
  note?: string;
}

/**
 * Sets the webhook of the caller's registrar to the URL that `urlOf` returns for the current one; null for none.
 * Another URL or `isRotated` creates a new secret, and the old one also signs for a day. While too many secrets sign,
 * another URL keeps the newest, and the outcome says so. The same URL again makes deliveries go on if the receiver was
 * gone. Two round trips. Throws `update_prohibited` to a system and, for `isRotated`, if too many secrets sign, and what
 * `urlOf` and `withLogin` throw.
 */
export async function changeOwnWebhook(
  { db, login, request }: RegistrarCall,
  urlOf: (current: string | null) => string | null,
  { isRotated = false } = {},
): Promise<OwnWebhook> {
  refuseSystem(login);
  const at = request.at.toISOString();
  const newSecret = generateWebhookSecret();
  const look = async () => {
    const [caller, [registrar], [webhook]] = await withLogin(db, login, (registrarId) => [
      db.select().from(registrars).where(eq(registrars.id, registrarId)),
      db.select().from(webhooks).where(eq(webhooks.registrarId, registrarId)),
    ]);
    return { caller, registrar: registrar!, webhook };
  };
  const judge = (state: Awaited<ReturnType<typeof look>>): Change<OwnWebhook> => {
    const { caller, registrar, webhook } = state;
    const current = webhook?.url ?? null;
    const url = urlOf(current);
    const origin = { actor: caller.actor, request };
    const about = changeOf({ origin }, { type: 'registrar', key: registrar.code });
    const change = { ...about, action: 'update' } as const;
    const isSame = url === current && !isRotated;
    const goneAt = webhook?.goneAt ?? null;
    if (isSame && goneAt === null) return { ...change, changes: {}, outcome: { caller, url } };
    const signing = webhook ? replacedAt(webhook, request.at) : [];
    const isFull = signing.length >= maximumReplaced;
    if (isRotated && isFull) throw tooManySecrets(signing[0]!.until);
    // A typing error in the URL can be mended at any time.
    const keepsSecret = url === null || isSame || isFull;
    const secret = keepsSecret ? undefined : newSecret;
    const secrets = secret ? { secret, replacedSecrets: withOwn(webhook, request.at) } : webhook!;
    const note =
      url !== null && !isSame && isFull ? { note: sameSecretMessage(signing[0]!.until) } : {};
    const row = url === null ? null : { ...secrets, url, goneAt: isRotated ? goneAt : null };
    const ofRegistrar = eq(registrars.id, registrar.id);
    const before = { webhookUrl: current, webhookGoneAt: goneAt };
    const after = { webhookUrl: url, webhookGoneAt: row?.goneAt, webhookSecret: secret };
    return {
      ...change,
      changes: difference(before, after),
      onlyIf: sql`(select url || ' ' || secret from ${webhooks} where ${webhooks.registrarId} = ${registrar.id})
        is ${webhook ? `${webhook.url} ${webhook.secret}` : null}`,
      statements: [
        db.update(registrars).set({ updatedAt: at }).where(and(ofRegistrar, about.isWritten)),
        ...webhookStatements(db, registrar.id, row, { at, condition: about.isWritten }),
      ],
      outcome: { caller, url, ...(secret && { secret }), ...note },
    };
  };
  return (await write(db, request, { look, judge })).outcome;
}

/** Includes the webhook's own secret; oldest first. */
function withOwn(webhook: Webhook | undefined, at: Date): Webhook['replacedSecrets'] {
  if (!webhook) return [];
  return [...replacedAt(webhook, at), { secret: webhook.secret, until: timeAfter(at, overlap) }];
}

const newFrom = (until: string) =>
  `Four replaced secrets sign beside the newest, so there can be no other before ${until}.`;

const sameSecretMessage = (until: string) => `The secret is the same as before. ${newFrom(until)}`;

function tooManySecrets(until: string): RegistryError {
  return prohibited(`${newFrom(until)} To end all at once, delete the webhook and set it again.`);
}

/** One round trip. */
export async function findOwnWebhook(db: Database, login: Login): Promise<Webhook | undefined> {
  const [, [webhook]] = await readWithLogin(db, login, (registrarId) => [
    db.select().from(webhooks).where(eq(webhooks.registrarId, registrarId)),
  ]);
  return webhook;
}

/** One round trip. Throws `update_prohibited` to a system, and `not_found` without a webhook. */
export async function getOwnWebhook({
  db,
  login,
}: Omit<RegistrarCall, 'request'>): Promise<Webhook> {
  refuseSystem(login);
  const webhook = await findOwnWebhook(db, login);
  if (webhook) return webhook;
  throw noWebhook();
}

export function noWebhook(): RegistryError {
  const detail = 'The registrar has no webhook; PUT /repp/v1/registrar/webhook sets one.';
  return new RegistryError([{ reason: 'not_found', message: 'Object does not exist', detail }]);
}

function refuseSystem(login: Login): void {
  if (isApiUser(login)) return;
  throw prohibited(
    'A system that acts for a registrar cannot change the webhook of the registrar.',
  );
}
