import path from 'node:path';
import { sql } from 'drizzle-orm';
import {
  apiUsers,
  auctionStatuses,
  dailyCounts,
  history,
  registrars,
  systemRights,
} from '../../../drizzle/schema.ts';
import { type Database, openDatabase } from '../../base/database/open.ts';
import { type Env, isLocalEnvironment } from '../../base/env.ts';
import { currentTime } from '../../base/time/clock.ts';
import { dayOf, daysBefore } from '../../base/time/day.ts';
import type { Origin } from '../../change/origin.ts';
import { singleLists } from '../../list/lists.ts';
import { startAuctions } from '../../name/auction/operator/start.ts';
import { parseDomainName } from '../../name/domain/operator/name.ts';
import { addRegistrar } from '../../party/registrar/operator/account.ts';
import { addApiUser, listApiUsers } from '../../party/registrar/operator/api-user.ts';
import { addSystem, listSystems } from '../../party/system/operator/system.ts';
import { commandLine } from '../../tool/command.ts';
import { requiredText } from '../../tool/files/field.ts';
import { columnsNamed } from '../../tool/files/format.ts';
import { type Import, importRows, readImport } from '../../tool/files/import.ts';
import { readRows } from '../../tool/files/read.ts';
import { contactImport } from '../../tool/nouns/contact/file.ts';
import { disputeImport } from '../../tool/nouns/dispute.ts';
import { domainImport } from '../../tool/nouns/domain/file.ts';
import { retainedImport } from '../../tool/nouns/retained/file.ts';

const demoRegistrars = [
  {
    ...{ code: 'ALPHA', name: 'Alpha Domeenid OÜ', allowedIps: [] },
    ...{ phone: '+372.6000001', email: 'abi@alpha.example', website: 'https://alpha.example/' },
  },
  {
    ...{ code: 'BETA', name: 'Beta Veebimajutus AS', allowedIps: [] },
    ...{ phone: '+372.6000002', email: 'info@beta.example', website: 'https://beta.example/' },
  },
];

/** Local only: the secrets are public. */
const demoUsers = [
  { registrarCode: 'ALPHA', username: 'alpha', secret: 'alpha-demo-secret' },
  { registrarCode: 'BETA', username: 'beta', secret: 'beta-demo-secret' },
];

const demoSystem = {
  name: 'epp',
  rights: [...systemRights],
  allowedIps: ['127.0.0.0/8', '::1'],
  key: 'epp-demo-key',
};

const requestId = 'demo-data';
const origin: Origin = {
  actor: { type: 'operator', name: 'Demo data' },
  request: { at: new Date('2025-03-14T09:26:53.589Z'), requestId },
};

/**
 * Returns false if the registry was not empty. The next load finishes an interrupted one. Throws an
 * Error for any but the local environment.
 */
export async function loadDemoData(env: Env): Promise<boolean> {
  if (!isLocalEnvironment(env)) throw new Error('demo data is only for the local environment');
  const db = openDatabase(env.DB);
  if (!(await isEmptyOrUnfinished(db))) return false;
  const importFile = async <Row, Outcome extends string>(
    name: string,
    kind: Import<Row, Outcome>,
  ) => {
    const read = await readImport(path.join(import.meta.dirname, name), kind);
    // The report is dropped, so its verbs may be wrong.
    const registry = {
      db,
      env: { ...env, ZONES: '', NAME_LETTERS: '' },
      origin,
      isDryRun: false,
      did: (verb: string) => verb,
      commandLine,
    };
    await importRows(registry, read, {}, kind);
  };
  const present = await db.select({ code: registrars.code }).from(registrars);
  for (const registrar of demoRegistrars) {
    if (present.some(({ code }) => code === registrar.code)) continue;
    await addRegistrar({ db, origin }, registrar);
  }
  await importFile('contacts.csv', demoContacts());
  await importFile('domains.csv', domainImport);
  await addAuctions(db);
  await importFile('retained.csv', retainedImport({}));
  await importFile('disputes.csv', disputeImport());
  await replaceDailyCounts(db);
  // Last: systems mark a complete load.
  if ((await listSystems(db)).length === 0) await addSystem({ db, origin }, demoSystem);
  const users = await listApiUsers(db, currentTime());
  for (const user of demoUsers) {
    if (users.some(({ username }) => username === user.username)) continue;
    await addApiUser({ db, origin }, user);
  }
  return true;
}

/** Their UUIDs are fixed for the examples. Other files bring none. */
export function demoContacts(): ReturnType<typeof contactImport> {
  const kind = contactImport({});
  return {
    ...kind,
    columns: { ...kind.columns, uuid: { note: '' } },
    read: (values) => ({ ...kind.read(values), uuid: requiredText(values, 'uuid') }),
  };
}

export async function hasDemoUsers(env: Env): Promise<boolean> {
  const users = await listApiUsers(openDatabase(env.DB), currentTime());
  return demoUsers.every((user) => users.some(({ username }) => username === user.username));
}

async function isEmptyOrUnfinished(db: Database): Promise<boolean> {
  const changes = await db.$count(history, sql`${history.requestId} is not ${requestId}`);
  return changes === 0 && (await db.$count(apiUsers)) < demoUsers.length;
}

async function addAuctions(db: Database): Promise<void> {
  const file = path.join(import.meta.dirname, 'auctions.csv');
  const columns = columnsNamed(['name', 'uuid', 'status', 'registration_code']);
  const rows = await Array.fromAsync(readRows(file, columns));
  const records = rows.map(({ values }) => ({
    ...parseDomainName(requiredText(values, 'name')),
    uuid: requiredText(values, 'uuid'),
    status: auctionStatuses.find((status) => status === values.status),
    registrationCode: String(values.registration_code) || null,
  }));
  // An interrupted load has added these.
  const ignored = ['in_auction', 'awaiting_payment', 'paid', 'reserved'] as const;
  // Auctions begin on Mondays. This week's are in the feed.
  const today = dayOf(currentTime());
  const monday = daysBefore(today, (new Date(today).getUTCDay() + 6) % 7);
  const request = { ...origin.request, at: new Date(monday) };
  await startAuctions({ db, origin: { ...origin, request } }, records, { ignored });
}

/**
 * The last row of the file is the Saturday of this week, because auctions begin on Mondays and most
 * end before the weekend.
 */
async function demoDailyCounts(today: string) {
  const file = path.join(import.meta.dirname, 'daily-counts.csv');
  const rows = await Array.fromAsync(readRows(file, columnsNamed(singleLists)));
  const daysToSaturday = 6 - new Date(today).getUTCDay();
  return rows
    .toReversed()
    .map(({ values }, index) => ({
      day: daysBefore(today, index - daysToSaturday),
      counts: values,
    }))
    .filter(({ day }) => day < today);
}

async function replaceDailyCounts(db: Database): Promise<void> {
  const days = await demoDailyCounts(dayOf(currentTime()));
  await db.batch([
    db.delete(dailyCounts),
    db.insert(dailyCounts).select(sql`
      select day.value ->> 'day', count.key, cast(count.value as integer)
      from json_each(${JSON.stringify(days)}) as day, json_each(day.value, '$.counts') as count`),
  ]);
}
