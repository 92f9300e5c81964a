import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { opening } from '../../src/tool/bindings.ts';
import { loopbackPages } from '../../src/tool/desk/pages.ts';
import { loadProgram, runProgram } from '../../src/tool/program.ts';
import { openRegistry } from '../../src/tool/registry.ts';
import { captured, type Ended } from './captured.ts';
import { withoutPublishing } from './faults.ts';
import { everyCommand, helpOf } from './program.ts';
import { killGroup, openKept, startTool } from './tool.ts';

// It and its libraries remember the directory in which they are loaded, which a test below changes.
await import('wrangler');

const tool = startTool();
const registry = tool.sharedRegistry('ALPHA', 'BETA');
const program = await loadProgram();

/** Inside the project, where npm finds its scripts. */
mkdirSync('.wrangler', { recursive: true });
const directory = mkdtempSync('.wrangler/printed-');
afterAll(() => rmSync(directory, { recursive: true }));

const printed = new Set<string>();
const commands = /(npm run registry --|npm start --) .*?(?=\)\.?( \[\w+\])?$|\)\.\\n|"|$)/gm;

function collect(...texts: string[]): void {
  for (const [command] of texts.join('\n').matchAll(commands)) printed.add(command);
}

async function run(words: string | string[], input = ''): Promise<void> {
  const { stdout, stderr } = await registry.run(words, input);
  collect(stdout, stderr);
}

/** What the operator's day may print. */
async function collectAdvice(): Promise<void> {
  await registry.addContacts('ALPHA:1', 'ALPHA:2', 'ALPHA:3', 'ALPHA:GONE');
  await registry.done('domain import -', 'name,registrar,registrant\na.ee,ALPHA,ALPHA:1\n');
  await run('retained add r.ee --status reserved');
  await run('dispute open d.ee --first-day 2026-01-01');
  await run('contact transfer ALPHA:3 --to BETA --yes');
  await run('registrar move ALPHA --to BETA');
  await run(['registrar', 'update', 'ALPHA', '--name', "Alpha's OÜ", '--allow-ip', '192.0.2.7']);
  await run('registrar suspend BETA --reason unpaid');
  await run('system add epp --may domains --allow-ip 192.0.2.7');
  await run('system update epp --may auctions --allow-ip 192.0.2.8');
  await run('api-user add --registrar BETA --username ats');
  await run('api-user disable ats');
  registry.edit('update api_users set certificate_required = 1');
  await run('api-user rotate ats');
  await run('system add dns');
  await run('system rotate dns');
  await run('auction start k.ee p.ee');
  registry.edit("update auctions set status = 'awaiting_payment' where name = 'p.ee'");
  await run('auction correct p.ee --status payment_received --reason test --yes');
  const days = "registration_deadline = '2026-01-01T00:00:00.000Z'";
  registry.edit(`update auctions set ${days} where name = 'p.ee'`);
  await registry.done('auction start a.ee').catch(() => undefined);
  registry.edit("update auctions set name = 'a.ee', punycode = 'a.ee' where name = 'k.ee'");
  await registry.done('contact demand ALPHA:2 --claims identity --by 2099-01-01');
  registry.edit(
    `update contacts set verification_demand = replace(verification_demand, '2099', '2020')`,
  );
  await run('health');
  await run('contact erase ALPHA:1 --yes');
  await run('contact erase ALPHA:2 --former 38001085718 --yes');
  await run('contact show 38001085718');
  await run('registrar create');
  await run('dispute import -', 'name,first_day,closed_at\nd.ee,2026-01-01,2026-01-02\n');
  for (const code of ['ALPHA:2', 'ALPHA:GONE']) {
    await registry.done([
      ...['disclosure', 'open', '--contact', code, '--requester', 'Mari', '--identified-by', 'ID'],
      ...['--organization', 'Police', '--basis', 'case', '--fields', 'name'],
    ]);
  }
  await registry.done('contact delete ALPHA:GONE --yes');
  await run(`disclosure grant 2 --to ${path.join(registry.directory, 'disclosed.json')}`);
  // Taken back but for one, which somebody has changed.
  const changed = await registry.done('retained add x.ee y.ee --status reserved');
  await registry.done('retained remove y.ee --status reserved --yes');
  await registry.done('retained add y.ee --status reserved');
  await registry.done(`history revert ${changed.request_id} --skip-changed --yes`);
  await run(`history revert ${changed.request_id} --yes`);
  const add = ['retained', 'add', 's.ee', '--status', 'reserved'];
  const place = ['--persist-to', registry.directory];
  const unpublished = await captured(() => runProgram([...add, ...place], withoutPublishing));
  collect(unpublished.stdout, unpublished.stderr);
  const missing = await captured(() => runProgram(['health', '--persist-to', '/nonexistent/a b']));
  collect(missing.stderr);
  const steps = spawn('npm', ['run', 'deploy', '--', '--dry-run']);
  collect(await text(steps.stdout));
}

/** What every page of the desk shows that its first pages and searches lead to. */
async function collectDesk(): Promise<void> {
  const { history } = await registry.done('history retained r.ee');
  const request = history[0].request_id;
  await using opened = new AsyncDisposableStack();
  const options = { persistTo: registry.directory };
  const pages = loopbackPages(
    options,
    await opening.run(openKept, () => openRegistry(options, opened)),
  );
  const searches = ['38001085718', 'nobody@a.ee', 'tamm', crypto.randomUUID(), 'jaan@example.ee'];
  const found = new Set([
    ...['/', '/name/a.ee', '/name/r.ee', '/name/d.ee', '/name/p.ee', '/contact/ALPHA:1'],
    ...['/contact/ALPHA:2', '/contact/ALPHA:GONE', '/registrar/ALPHA', '/registrar/BETA'],
    ...['/disclosure/1', '/disclosure/2', `/request/${request}`],
    ...searches.map((words) => `/find?q=${encodeURIComponent(words)}`),
  ]);
  for (const address of found) {
    const response = await pages.request(address);
    const html = await response.text();
    for (const [, code] of html.matchAll(/<code>(.*?)<\/code>/gs)) {
      collect(code!.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&'));
    }
    for (const [, href] of html.matchAll(/href="(\/(?!.*\.)[^"]+)"/g)) {
      if (found.size < 60) found.add(href!);
    }
  }
}

/** Placed: as they are, they are for the registry in the project's directory. */
function collectExamples(): void {
  for (const [words, command] of everyCommand(program)) {
    const isPlaced = /^(backup verify|move-in|reconcile|completion)/.test(words);
    for (const [, example] of helpOf(command).matchAll(/^ {2}(npm run registry -- .*)$/gm)) {
      const isRemote = /--remote|--persist-to/.test(example!);
      printed.add(
        isPlaced || isRemote ? example! : `${example} --persist-to ${registry.directory}`,
      );
    }
  }
}

beforeAll(async () => {
  await collectAdvice();
  await collectDesk();
  collectExamples();
  // A shell opens it.
  writeFileSync(path.join(directory, 'code.txt'), 'code\n');
  // Ends the runtime in this process.
  await registry.spawn('lists status');
}, 300_000);

/** What neither a shell nor npm could change. These run in this process; all others, and all that go on, in their own. */
const plain = /^npm run registry -- ((?!desk\b)[\p{L}\d ./:,@=_-]+)$/u;

/** Undefined if the command does something, or is refused for a reason that has nothing to do with its words. */
async function findFault(command: string): Promise<string | undefined> {
  const [, words] = plain.exec(command) ?? [];
  if (words) {
    return faultOf(command, await captured(() => runProgram(words.split(' '), openKept)));
  }
  const isEndless = /^npm start|-- desk\b/.test(command) && !command.includes('--remote');
  const line = command.startsWith('npm start') ? `${command} --port 0` : command;
  const child = spawn('sh', ['-c', line], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1', BROWSER: 'true', DISPLAY: '' },
  });
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  if (isEndless) {
    const ready = command.startsWith('npm start') ? /Ctrl-C stops/ : /file:/;
    let said = '';
    child.stdout.on('data', (data) => {
      said += data;
      if (ready.test(said)) killGroup(child);
    });
    await once(child, 'close');
    return ready.test(said) ? undefined : `${command}\n${(await output).join('')}`;
  }
  const [status] = await once(child, 'close');
  const [stdout, stderr] = await output;
  return faultOf(command, { status, stdout, stderr });
}

function faultOf(command: string, { status, stdout, stderr }: Ended): string | undefined {
  const isDone = status === 0 || (status === 1 && !/^failed|internal error/m.test(stderr));
  return isDone ? undefined : `${command}: ${status}\n${stdout}${stderr}`;
}

test('each printed command works in a shell, as printed', { timeout: 1_800_000 }, async () => {
  const faults: string[] = [];
  const project = process.cwd();
  process.chdir(directory);
  onTestFinished(() => process.chdir(project));
  for (const command of printed) {
    const fault = await findFault(command);
    if (fault !== undefined) faults.push(fault);
  }
  expect(faults).toEqual([]);
});

const nouns = new Map(program.commands.map((noun) => [noun.name(), noun]));
const word = String.raw`('[^']*'|\S+)`;

/** A pattern of a list of words that are a command; undefined if it is another list. */
function patternOf(elements: string[]): string | undefined {
  const literals = elements.map((element) => /^'([^']*)'$/.exec(element)?.[1]);
  const noun = nouns.get(literals[0] ?? '');
  if (!noun) return undefined;
  const verbs = noun.commands.map((verb) => verb.name());
  const isVerb = literals[1]?.startsWith('--') || verbs.includes(literals[1]!);
  const isAlone =
    elements.length === 1 && (verbs.length === 0 || noun.registeredArguments.length > 0);
  if (!isAlone && !isVerb && (elements.length === 1 || literals[1] !== undefined)) return undefined;
  return elements
    .map(
      (element, index) =>
        (element.includes(' ') ? word : literals[index]) ??
        (element.startsWith('...') ? '.*' : word),
    )
    .join(' ');
}

test('each command in the sources is among them', () => {
  const files = globSync([
    'src/{tool,view,desk,undo,dev}/**/*.{ts,tsx}',
    'src/**/operator/**/*.ts',
  ]);
  const lacking = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\[\s*('[a-z-]+'[^[\]]*?),?\s*\]/g)].flatMap(
      ([, list]) => {
        const pattern = patternOf(list!.split(/,\s*/));
        const isIn = (command: string) =>
          new RegExp(`^npm run registry -- ${pattern}( |$)`).test(command);
        return pattern === undefined || [...printed].some(isIn) ? [] : `${file}: ${list}`;
      },
    ),
  );
  expect(lacking).toEqual([]);
  // Written out, a command would be in neither list.
  const written = files.filter((file) =>
    /[`'"][^`'"]*npm run registry -- \w/.test(readFileSync(file, 'utf8')),
  );
  expect(written).toEqual([]);
});
