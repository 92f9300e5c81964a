import { readFileSync } from 'node:fs';
import { listMigrations } from '../../src/tool/migrate.ts';

/** One call of wrangler that goes wrong: it fails, or it is done and reported as failed. */
export interface WranglerFault {
  /** The call, counted from 0. */
  at: number;
  isDone: boolean;
}

interface Rules {
  rules: { prefix?: string }[];
}

/** A stand-in for the wrangler command and the account behind it. It records its calls. */
export class Account {
  readonly calls: string[] = [];
  readonly databases: { uuid: string; name: string }[] = [];
  readonly namespaces: { id: string; title: string }[] = [];
  readonly queues: string[] = [];
  /** Of each bucket, the jurisdiction and the rules that it was given last. */
  readonly buckets = new Map<string, { jurisdiction?: string; lifecycle?: Rules; lock?: Rules }>();
  readonly secrets = new Map<string, string>();
  migrations = 0;
  deployments = 0;
  /** The command that a restore of the database has left. */
  unfinishedRestore: string | undefined;
  isLoggedIn = true;
  fault: WranglerFault | undefined;

  /** The id of the version that runs. */
  get build(): string {
    return `5f0e6a1c-8d3b-4c27-9a54-00000000000${this.deployments}`;
  }

  readonly wrangler = async (args: readonly string[], input?: string): Promise<string> => {
    const call = this.calls.push(args.join(' ')) - 1;
    if (call !== this.fault?.at) return this.#answer(args, input);
    try {
      if (this.fault.isDone) this.#answer(args, input);
    } catch {
      // The failure that would have been reported is lost with the connection.
    }
    throw new Error('wrangler: the connection was lost');
  };

  #answer(args: readonly string[], input: string | undefined): string {
    const words = args.filter((arg) => !arg.startsWith('-'));
    const command = words.slice(0, 3).join(' ');
    if (command === 'whoami') {
      if (!this.isLoggedIn) throw new Error('{"loggedIn":false}');
      return JSON.stringify({ loggedIn: true, email: 'operator@example.ee' });
    }
    if (command === 'd1 list') return JSON.stringify(this.databases);
    if (command.startsWith('d1 create')) {
      const uuid = `d1000000-0000-4000-8000-00000000000${this.databases.length + 1}`;
      return this.#added(this.databases, { uuid, name: words[2]! });
    }
    if (command === 'kv namespace list') return JSON.stringify(this.namespaces);
    if (command === 'kv namespace create') {
      const id = `c000000000000000000000000000000${this.namespaces.length + 1}`;
      return this.#added(this.namespaces, { id, title: words[3]! });
    }
    if (command.startsWith('queues info'))
      return this.#found(
        this.queues.includes(words[2]!),
        `Queue "${words[2]}" does not exist. To create it, run: …`,
      );
    if (command.startsWith('queues create')) return this.#added(this.queues, words[2]!);
    if (command.startsWith('r2 bucket')) return this.#answerForBuckets(words.slice(2), args);
    if (command === 'd1 migrations apply') return `applied, ${++this.migrations}`;
    if (command.startsWith('d1 execute')) {
      return JSON.stringify([{ results: this.#rows(words.at(-1)!), success: true }]);
    }
    if (command.startsWith('secret list')) {
      const isThere = this.deployments > 0 || this.secrets.size > 0;
      this.#found(isThere, 'Worker "registry-edge-production" (env: production) not found.');
      return JSON.stringify(Array.from(this.secrets.keys(), (name) => ({ name, type: 'secret' })));
    }
    if (command.startsWith('secret put')) {
      this.secrets.set(words[2]!, input ?? '');
      return 'Success! Uploaded secret';
    }
    if (command.startsWith('deploy')) {
      this.deployments += 1;
      return `Uploaded registry-edge\n  https://${this.#host(args)}.example.workers.dev\nCurrent Version ID: ${this.build}`;
    }
    throw new Error(`the stand-in does not know wrangler ${args.join(' ')}`);
  }

  #answerForBuckets(words: readonly string[], args: readonly string[]): string {
    const option = (name: string) => args.find((_, index) => args[index - 1] === name);
    const jurisdiction = option('--jurisdiction');
    const [verb, name] = words[0] === 'info' || words[0] === 'create' ? words : words.slice(1);
    const bucket = this.buckets.get(name!);
    if (words[0] === 'create') {
      if (bucket) throw new Error('✘ [ERROR] The bucket you tried to create already exists');
      this.buckets.set(name!, jurisdiction === undefined ? {} : { jurisdiction });
      return 'created';
    }
    const isThere = bucket !== undefined && bucket.jurisdiction === jurisdiction;
    this.#found(isThere, 'The specified bucket does not exist. [code: 10006]');
    if (verb === 'set') {
      bucket![words[0] as 'lifecycle' | 'lock'] = JSON.parse(
        readFileSync(option('--file')!, 'utf8'),
      );
    }
    return '{}';
  }

  #rows(sql: string): unknown[] {
    if (sql.includes('from d1_migrations')) return listMigrations().map((name) => ({ name }));
    if (sql.startsWith('select command')) return [{ command: this.unfinishedRestore }];
    if (this.unfinishedRestore !== undefined) return [{ name: 'restore_unfinished' }];
    return this.migrations > 0 ? [{ name: 'd1_migrations' }] : [];
  }

  #host(args: readonly string[]): string {
    return `registry-edge-${args[args.indexOf('--env') + 1]}`;
  }

  #found(isFound: boolean, message: string): string {
    if (!isFound) throw new Error(`✘ [ERROR] ${message}`);
    return 'found';
  }

  #added<Thing>(things: Thing[], thing: Thing): string {
    things.push(thing);
    return 'created';
  }
}
