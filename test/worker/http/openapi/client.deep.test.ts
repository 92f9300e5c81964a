import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadDemoData } from '../../../../src/dev/demo/load.ts';
import { startWorker } from '../../../support/worker.ts';

/** A project of somebody else's, with tools of its own. */
const tools = path.resolve('test/client-project/node_modules');
const generator = path.join(tools, 'openapi-typescript/bin/cli.js');
const compiler = path.join(tools, 'typescript/bin/tsc');
const settings = {
  compilerOptions: {
    ...{ strict: true, noEmit: true, noUncheckedIndexedAccess: true, types: ['node'] },
    ...{ target: 'es2024', lib: ['es2024', 'dom'], module: 'esnext', moduleResolution: 'bundler' },
    allowImportingTsExtensions: true,
    skipLibCheck: true,
  },
};

const worker = startWorker();
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'client-'));
  await symlink(path.resolve('node_modules'), path.join(directory, 'node_modules'));
  await writeFile(path.join(directory, 'package.json'), '{"type": "module"}');
  await writeFile(path.join(directory, 'tsconfig.json'), JSON.stringify(settings));
  await loadDemoData(worker.env);
  await worker.scheduled('31 * * * *');
  await run(generator, `${worker.url.origin}/openapi.json`, '-o', 'registry.ts');
});

afterAll(() => rm(directory, { recursive: true }));

async function run(...command: string[]): Promise<string> {
  const env = { ...process.env, REGISTRY: worker.url.origin };
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: directory, env });
  return stdout;
}

/** The compiler prints its findings on the standard output, and fails. */
async function typeProblems(): Promise<string> {
  return run(compiler).catch(({ stdout }: { stdout: string }) => stdout);
}

it('the example for registrars’ programmers compiles with the types of the document', async () => {
  await copyFile('test/client-project/contact-sync.ts', path.join(directory, 'contact-sync.ts'));
  expect(await typeProblems()).toBe('');
});

it('the document may be read by pages of any origin', async () => {
  const { status, headers } = await fetch(new URL('/openapi.json', worker.url));
  expect(status).toBe(200);
  expect(headers.get('Content-Type')).toBe('application/json');
  expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
});

it('a client with types from the document calls every interface', async () => {
  const client = `
      import createClient from 'openapi-fetch';
      import type { paths } from './registry.ts';
      const registry = createClient<paths>({ baseUrl: process.env.REGISTRY ?? '' });
      const basic = { Authorization: \`Basic \${btoa('alpha:alpha-demo-secret')}\` };
      const contacts = await registry.GET('/repp/v1/contacts', { headers: basic });
      const person = { ident: '38001085718', first_name: 'Jaan', last_name: 'Tamm' };
      const token = await registry.POST('/api/v1/registrant/auth/eid', { body: person });
      const headers = { Authorization: \`Bearer \${token.data?.access_token}\` };
      const own = await registry.GET('/api/v1/registrant/export', { headers });
      const auctions = await registry.GET('/api/v1/auctions');
      const query = { type: 'disputed' } as const;
      const disputed = await registry.GET('/repp/v1/retained_domains', { params: { query } });
      const health = await registry.GET('/health');
      const account = await registry.GET('/repp/v1/registrar', { headers: basic });
      const ident = { ident: 'AB-1', ident_type: 'priv', ident_country_code: 'FI' } as const;
      const contact = { name: 'Mari Maasikas', email: 'mari@example.com', phone: '+372.5123456', ident };
      const body = { contacts: [contact, { ...contact, phone: '555' }] };
      const validation = await registry.POST('/repp/v1/contacts/validate', { headers: basic, body });
      console.log(account.data?.data.registrar.api_user?.username);
      console.log(validation.data?.data.results.map(({ errors }) => errors[0]?.field));
      console.log(contacts.data?.contacts.length, token.data?.type, own.data?.contacts.length);
      console.log(auctions.data?.length, disputed.data?.count, health.data?.status);
    `;
  await writeFile(path.join(directory, 'client.ts'), client);

  expect(await typeProblems()).toBe('');
  expect(await run('client.ts')).toBe("alpha\n[ undefined, 'phone' ]\n14 Bearer 3\n7 16 ok\n");
});

it('a client with types from the document does not compile with what the service would refuse or does not answer', async () => {
  const wrong = `
      import createClient from 'openapi-fetch';
      import type { paths } from './registry.ts';
      const registry = createClient<paths>();
      // @ts-expect-error: a type that does not exist
      registry.GET('/repp/v1/retained_domains', { params: { query: { type: 'lost' } } });
      // @ts-expect-error: a field that is required
      registry.POST('/api/v1/registrant/auth/eid', { body: { ident: '38001085718' } });
      // @ts-expect-error: a status that only the registry sets
      registry.PATCH('/api/v1/auctions/{uuid}', { params: { path: { uuid: '' } }, body: { status: 'started' } });
      // @ts-expect-error: a field that an answer does not have
      registry.GET('/health').then(({ data }) => data?.uptime);
      // @ts-expect-error: a path that does not exist
      registry.GET('/repp/v1/domains');
      registry.GET('/health').then(({ data }) => data?.version.length);
    `;
  await writeFile(path.join(directory, 'wrong.ts'), wrong);
  expect(await typeProblems()).toBe('');
});

/** The shell's directories, without those of the package that the tests run in. */
const PATH = (process.env.PATH ?? '')
  .split(path.delimiter)
  .filter((directory) => !directory.includes('node_modules'))
  .join(path.delimiter);

it.for([20, 24])(
  'the lines of the README are a typed client when pasted in an empty folder, on Node %i',
  {
    timeout: 300_000,
  },
  async (major, { skip }) => {
    const empty = await mkdtemp(path.join(tmpdir(), 'pasted-'));
    // Without what npm passes on to the commands that it runs.
    const lines = `unset \${!npm_@}; node --version\n${await linesOfReadme()}`;
    const shell = (...command: string[]) =>
      promisify(execFile)(command[0]!, command.slice(1), {
        cwd: empty,
        env: { ...process.env, PATH },
      });
    try {
      await shell('npm', 'view', 'openapi-fetch@0.17', 'name').catch(() =>
        skip('no package registry can be reached'),
      );
      // This package fetches another by a script.
      const scripts = '--ignore-scripts=false';
      const node = ['npx', '--yes', scripts, '--package', `node@${major}`, '--'];
      const { stdout } = await shell(...node, 'bash', '-ec', lines);
      expect(stdout).toMatch(new RegExp(`^v${major}\\.[^]*\nJaan Tamm\n$`));
    } finally {
      await rm(empty, { recursive: true });
    }
  },
);

async function linesOfReadme(): Promise<string> {
  const text = await readFile('README.md', 'utf8');
  const [, section = ''] = /^## A typed client\n(.*?)^## /ms.exec(text) ?? [];
  const [, lines = ''] = /^```sh\n(.*?)^```$/ms.exec(section) ?? [];
  return lines.replaceAll('http://localhost:8787', worker.url.origin);
}
