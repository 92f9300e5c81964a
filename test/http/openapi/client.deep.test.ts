import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadDemoData } from '../../../src/cli/demo/load.ts';
import { startWorker } from '../../worker.ts';

/** A project of somebody else's, with tools of its own: the lines of the README, as they stand there. */
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

async function linesOfReadme(): Promise<string> {
  const text = await readFile('README.md', 'utf8');
  const [, section = ''] = /^## A typed client\n(.*?)^## /ms.exec(text) ?? [];
  expect(section).toContain(
    'openapi-typescript@7 http://localhost:8787/openapi.json -o registry.ts',
  );
  const [, code = ''] = /^```ts\n(.*?)^```$/ms.exec(section) ?? [];
  return code;
}

async function run(...command: string[]): Promise<string> {
  const env = { ...process.env, REGISTRY: worker.url.origin };
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: directory, env });
  return stdout;
}

/** The compiler prints its findings on the standard output, and fails. */
async function typeProblems(): Promise<string> {
  return run(compiler).catch(({ stdout }: { stdout: string }) => stdout);
}

it('may be read by pages of any origin', async () => {
  const { status, headers } = await worker.fetch('/openapi.json');
  expect(status).toBe(200);
  expect(headers.get('Content-Type')).toBe('application/json');
  expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
});

describe('a client with types from the document', () => {
  it('calls every interface', async () => {
    const more = `
      const headers = { Authorization: \`Bearer \${token.data?.access_token}\` };
      const own = await registry.GET('/api/v1/registrant/export', { headers });
      const health = await registry.GET('/health');
      console.log(own.data?.contacts.length, health.data?.status);
    `;
    await writeFile(path.join(directory, 'client.ts'), (await linesOfReadme()) + more);

    expect(await typeProblems()).toBe('');
    expect(await run('client.ts')).toBe('14 Bearer 7 16\n3 ok\n');
  });

  it('does not compile with what the service would refuse or does not answer', async () => {
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
});
