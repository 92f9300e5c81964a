import path from 'node:path';
import { beforeAll } from 'vitest';
import { startPostgres, whyNoPostgres } from './postgres.ts';

/** A dirty registry of that many contacts, in a PostgreSQL of its own, with the tables of internetee/registry. */
export function startInternetee(contacts: number) {
  const postgres = startPostgres();
  const run = (...names: string[]) =>
    postgres.psql([
      ...['-v', `contacts=${contacts}`],
      ...names.flatMap((name) => ['-f', `test/tool/move-in/internetee-${name}.sql`]),
    ]);
  beforeAll(async () => {
    if (!whyNoPostgres()) await run('structure', 'rows');
  });

  return {
    environment: postgres.environment,
    /** Changes, adds and removes rows, as a day of work does. */
    change: () => run('delta'),
    /** Writes the files to the directory, if there is a PostgreSQL. */
    async exportTo(directory: string, database = 'postgres'): Promise<void> {
      const script = path.resolve('src/tool/move-in/internetee.sql');
      if (!whyNoPostgres()) await postgres.psql(['-d', database, '-f', script], directory);
    },
    /** Says this SQL to the database. */
    say: (sql: string) => postgres.psql(['-c', sql]),
    /** The database's answer: each value as PostgreSQL writes it, null as an empty text. */
    async query(sql: string): Promise<Record<string, string>[]> {
      const rows = `
        select coalesce(json_agg((
          select json_object_agg(key, coalesce(value, '')) from jsonb_each_text(to_jsonb(found))
        )), '[]')
        from (${sql}) found`;
      return JSON.parse(await postgres.psql(['-c', rows]));
    },
  };
}
