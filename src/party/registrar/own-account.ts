import { and, eq, sql } from 'drizzle-orm';
import { apiUsers, registrars, webhooks } from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';
import { RegistryError } from '../../base/error.ts';
import { difference } from '../../change/history/changes.ts';
import type { WriteRequest } from '../../change/origin.ts';
import { type Change, changeOf, write } from '../../change/write.ts';
import { changeEach, changesOfRows } from '../../change/write-many.ts';
import { digestSecret, generateSecret, holders, isAsSeen } from '../credential/holder.ts';
import { endOfReplaced, isFirstUse } from '../credential/login.ts';
import {
  type Caller,
  isApiUser,
  type Login,
  loginValues,
  readWithLogin,
  type UserLogin,
  withLogin,
} from './login.ts';
import { addNotification } from './notification.ts';

export async function getOwnAccount(db: Database, login: Login) {
  const { username, secretDigest, at } = loginValues(login);
  const [caller, [account]] = await readWithLogin(db, login, (registrarId) => [
    db
      .select({
        name: registrars.name,
        phone: registrars.phone,
        email: registrars.email,
        website: registrars.website,
        username: apiUsers.username,
        allowedIps: registrars.allowedIps,
        webhookUrl: webhooks.url,
        secretChangedAt: apiUsers.secretChangedAt,
        // The first use is recorded after its answer, and the cron removes a past time only later.
        previousSecretValidUntil: sql<
          string | null
        >`iif(${isFirstUse('api_user', secretDigest)}, ${endOfReplaced(at)},
          iif(previous_secret_valid_until > ${at}, previous_secret_valid_until, null))`,
      })
      .from(registrars)
      .leftJoin(apiUsers, sql`${apiUsers.username} = ${username}`)
      .leftJoin(webhooks, eq(webhooks.registrarId, registrars.id))
      .where(eq(registrars.id, registrarId)),
  ]);
  return { ...caller, ...account! };
}

const newSecretDetail =
  'This secret is new: it cannot be replaced while the one before it still works.';
const replacedSecretDetail =
  'This secret has been replaced by one that is in use: only that one can be replaced.';

/**
 * Gives the caller's user a new secret. The old one works until a day after the new one's first use, and can get
 * another one until that use, since an answer may have been lost. Two round trips. Throws `update_prohibited` to the
 * old secret after that use, to the new one while the old one works, and to a system; and what `withLogin` throws.
 */
export async function replaceOwnSecret(
  db: Database,
  login: Login,
  request: WriteRequest,
): Promise<{ caller: Caller; username: string; secret: string }> {
  if (!isApiUser(login)) {
    throw prohibited('A system that acts for a registrar has no secret of an API user.');
  }
  const { username } = login;
  const secret = generateSecret();
  const secretDigest = await digestSecret(secret);
  const { outcome: caller } = await write(db, request, {
    look: async () => {
      const [caller, [user]] = await withLogin(db, login, (registrarId) => [
        db
          .select()
          .from(apiUsers)
          .where(and(eq(apiUsers.registrarId, registrarId), eq(apiUsers.username, username))),
      ]);
      return { caller, user: user! };
    },
    judge({ caller, user }): Change<Caller> {
      const at = request.at.toISOString();
      const isCurrent = user.secretDigest === login.secretDigest;
      const { previousSecretChangedAt: previousSince, previousSecretValidUntil: until } = user;
      const bothWork = previousSince !== null && (until === null || until > at);
      if (bothWork && isCurrent) throw prohibited(newSecretDetail);
      if (bothWork && until !== null) throw prohibited(replacedSecretDetail);
      const { registrarId } = caller;
      const current = { secretDigest, secretChangedAt: at, updatedAt: at };
      const row = { ...current, ...holders.api_user.replaced(user) };
      const origin = { actor: caller.actor, request };
      const about = changeOf({ origin }, { type: 'api_user', key: username });
      const change: Change<Caller> = {
        ...about,
        action: 'update',
        changes: difference({}, { secretDigest }),
        onlyIf: isAsSeen(apiUsers, user),
        statements: [
          db
            .update(apiUsers)
            .set(row)
            .where(and(eq(apiUsers.id, user.id), about.isWritten)),
        ],
        outcome: caller,
      };
      return addNotification(db, change, {
        registrarId,
        event: 'api_user.updated',
        cause: null,
        text: `Secret of API user ${username} has been replaced by API user ${username}. If that was somebody else, call the operator of the registry at once.`,
        subjectKey: username,
        fields: ['secret'],
        createdAt: at,
      });
    },
  });
  return { caller, username, secret };
}

export function prohibited(detail: string): RegistryError {
  const message = 'Object status prohibits operation';
  return new RegistryError([{ reason: 'update_prohibited', message, detail }]);
}

/** Records the first use; the replaced secret ends a day later. One round trip. */
export async function recordFirstUse(
  db: Database,
  login: UserLogin,
  request: WriteRequest,
): Promise<void> {
  const { actor } = login.caller!;
  const previousSecretValidUntil = endOfReplaced(request.at.toISOString());
  const changes = JSON.stringify(difference({}, { previousSecretValidUntil }));
  const isTheirs = isFirstUse('api_user', login.secretDigest);
  const rows = sql`select json_object('key', username, 'changes', json(${changes})) as row
    from ${apiUsers} where ${isTheirs}`;
  const statements = [db.update(apiUsers).set({ previousSecretValidUntil }).where(isTheirs)];
  const used = [changesOfRows('api_user', 'update', rows, statements)];
  await changeEach({ db, origin: { actor, request } }, { used });
}
