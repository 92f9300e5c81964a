import { readFileSync } from 'node:fs';
import { parse } from 'smol-toml';

/** The parts of an environment in wrangler.toml that the tool reads. */
interface Environment {
  vars?: Record<string, string>;
  d1_databases?: {
    binding: string;
    database_name: string;
    database_id: string;
    preview_database_id?: string;
  }[];
  kv_namespaces?: { binding: string; id: string; preview_id?: string }[];
  queues?: {
    producers?: { queue: string }[];
    consumers?: { queue: string; dead_letter_queue?: string }[];
  };
}

interface WranglerConfig extends Environment {
  name: string;
  compatibility_date: string;
  env?: Record<string, Environment>;
}

/** An environment in a wrangler.toml, or what is outside of every environment; `own` is undefined if there is none. */
export function readEnvironment(file: string, environment: string | undefined) {
  const config = parse(readFileSync(file, 'utf8')) as unknown as WranglerConfig;
  const own = environment === undefined ? config : config.env?.[environment];
  const database = own?.d1_databases?.find(({ binding }) => binding === 'DB');
  const lists = own?.kv_namespaces?.find(({ binding }) => binding === 'LISTS');
  return { config, own, database, lists };
}
