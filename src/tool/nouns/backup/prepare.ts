import { openDatabase } from '../../../base/database/open.ts';
import { openFile } from '../../local/file.ts';
import { applyMigrations } from '../../migrate.ts';
import type { Registry } from '../../registry.ts';
import { repeatErasures } from '../contact/erase-again.ts';
import { type Account, keepAccess } from './access.ts';
import { type Figures, selectFigures } from './copy.ts';
import { copyDatabase } from './file.ts';

/** What was changed in a copy of a backup. */
export type Preparation = Awaited<ReturnType<typeof prepare>>;

/**
 * Copies a backup, and does in the copy what must follow a restore: migrates it, makes access as strict as it was for these
 * accounts, if they are given, erases again who was erased since, and leaves out ids that may have been given since.
 */
export async function prepare(
  file: string,
  copy: string,
  registry: Registry,
  { accounts, lastId }: { accounts: readonly Account[] | undefined; lastId: number },
) {
  await copyDatabase(file, copy);
  const { database, close } = openFile(copy, { isWritable: true });
  const db = openDatabase(database);
  try {
    const figures = (await database.prepare(selectFigures).first<Figures>())!;
    await applyMigrations(database);
    const kept = accounts ? await keepAccess(db, registry.origin, accounts) : [];
    const { data, text } = registry.env.ARCHIVE
      ? await repeatErasures({ ...registry, db, isDryRun: false }, { yes: true })
      : noBucket;
    const next = gap + Math.max(lastId, figures.lastId);
    await database.batch(
      numbered.flatMap((name) => [
        database.prepare('delete from sqlite_sequence where name = ?').bind(name),
        database
          .prepare('insert into sqlite_sequence (name, seq) values (?, cast(? as integer))')
          .bind(name, next),
      ]),
    );
    const lines = kept.map(({ name, fields }) => `kept as it was: ${name}: ${fields.join(', ')}`);
    return { data: { ...data, kept }, lines: [...lines, text], words: figures.words };
  } finally {
    close();
  }
}

/** Tables with ids that callers have seen. Those that may have been given since the backup are left out. */
const numbered = ['contacts', 'disclosures', 'notifications', 'systems'];

/** More ids than a registry gives between its last backup and the loss of its database. */
const gap = 10_000_000;

const noBucket = {
  data: { erased_again: null },
  text: 'wrangler.toml binds no ARCHIVE, so whoever was erased since is back: erase them again',
};
