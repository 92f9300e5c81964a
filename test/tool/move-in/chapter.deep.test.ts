import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { startTool, type TestRegistry } from '../tool.ts';
import { startInternetee } from './internetee.ts';

const tool = startTool();
const old = startInternetee(300);
const chapter = readFileSync('src/tool/move-in/README.md', 'utf8');
let home: string;
let rehearsal: TestRegistry;
let deployed: TestRegistry;

beforeAll(async () => {
  home = await tool.newDirectory();
  rehearsal = await tool.newRegistry();
  deployed = await tool.newRegistry();
});

/**
 * Runs what a section shows, in the checkout, with a home directory of its own, the name of a registrar, and a yes to each
 * question. Returns what it prints.
 */
function run(section: string, { directory }: TestRegistry): string {
  const [, text = ''] = chapter.split(`\n## ${section}\n`);
  const blocks = text.split('\n## ')[0]!.matchAll(/^ *```(sh|sql)\n(.*?)^ *```/gms);
  const printed = [...blocks].map(([, language, code]) => {
    const commands = code!
      .replaceAll('DATABASE', 'postgres')
      .replaceAll('REGISTRY', 'ALPHA')
      .replaceAll(/ -- restore\b/g, '$& --yes')
      .replaceAll(/--remote|--persist-to \S+/g, `--persist-to ${directory}`);
    // As npm run does, without the time that it takes.
    const npm = `npm() { while [ "$1" != -- ]; do shift; done; shift; '${process.execPath}' '${path.resolve('src/tool/index.ts')}' "$@"; }`;
    const sql = `psql -X -q -v ON_ERROR_STOP=1 postgres <<'end'\n${commands}end`;
    const script = language === 'sql' ? sql : `set -e\n${npm}\n${commands}`;
    return execFileSync('sh', ['-c', script], {
      ...{ env: { ...old.environment(), HOME: home }, encoding: 'utf8' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  });
  return printed.join('');
}

test('the way in, and the way back, are as the chapter says', async () => {
  expect(run('Rehearse', rehearsal)).toContain(' 0 of them not in move-in-report.csv');
  const before = await rehearsal.rows();
  await old.change();
  run('The evening', deployed);
  const proof = JSON.parse(readFileSync(path.join(home, 'moving-in', 'proof.json'), 'utf8'));
  expect(proof).toMatchObject({ equal: false, unreported: 0 });
  await expect(old.change()).rejects.toThrow('read-only transaction');
  expect((await deployed.rows()).domains).not.toEqual(before.domains);
  expect(run('Two ways to run', deployed)).toContain('added system epp');
  run('Going back', deployed);
  await expect(old.change()).rejects.toThrow('duplicate key');
}, 600_000);
