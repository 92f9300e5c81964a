import path from 'node:path';
import { expect, test } from 'vitest';
import { commandLine } from '../../src/tool/command.ts';
import { startTool } from './tool.ts';

const registry = startTool().sharedRegistry('ALPHA', 'BETA');

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/** What a command says of its request, and the words of the command that takes the change back. */
async function requestOf(command: string, input = '') {
  const { status, stderr } = await registry.run(command.split(' '), input);
  const match = new RegExp(
    `^request (${uuid})(?:; take back: npm run registry -- (.*) --persist-to ${registry.directory})?\n$`,
  ).exec(stderr);
  if (status !== 0 || !match) throw new Error(`${command}: ${status} ${JSON.stringify(stderr)}`);
  return { request: match[1], back: match[2]?.replace(match[1]!, 'REQUEST') };
}

const domains = 'name,registrar,registrant\na.ee,ALPHA,ALPHA:1\n';

test('a change names its request and, if something does, what takes it back', async () => {
  await registry.addContacts('ALPHA:1', 'ALPHA:2', 'ALPHA:3');
  await registry.done('api-user add --registrar ALPHA --username ats');
  const revert = 'history revert REQUEST';
  const commands: [command: string, back: string | undefined, input?: string][] = [
    ['retained add x.ee y.ee --status reserved', revert],
    ['retained remove x.ee --status reserved', revert],
    ['contact update ALPHA:1 --city Tartu', revert],
    ['contact status ALPHA:1 --add serverUpdateProhibited', revert],
    ['contact demand ALPHA:1 --claims name --by 2099-01-31', revert],
    ['contact demand ALPHA:1 --withdraw', revert],
    ['contact delete ALPHA:2 --yes', revert],
    ['contact transfer ALPHA:3 --to BETA --yes', 'contact transfer ALPHA:3 --to ALPHA'],
    ['contact erase ALPHA:3 --yes', undefined],
    ['domain import -', revert, domains],
    ['domain transfer a.ee --to BETA --yes', revert],
    ['dispute open d.ee --first-day 2026-01-01 --last-day 2099-01-01', revert],
    ['auction start k.ee', revert],
    ['api-user disable ats', 'api-user enable ats'],
    ['api-user enable ats', 'api-user disable ats'],
    ['api-user rotate ats', undefined],
    ['system add epp --may domains --allow-ip 192.0.2.7', undefined],
    ['system disable epp', 'system enable epp'],
    ['registrar suspend ALPHA --reason unpaid', 'registrar resume ALPHA'],
    ['registrar resume ALPHA', undefined],
    ['registrar update ALPHA --name Alfa', "registrar update ALPHA --name 'Alpha OÜ'"],
    ['registrar update ALPHA --allow-ip 192.0.2.7', 'registrar update ALPHA --allow-all'],
    ['registrar update ALPHA --allow-all', 'registrar update ALPHA --allow-ip 192.0.2.7'],
    ['registrar update ALPHA --webhook https://hooks.ee/', 'registrar update ALPHA --no-webhook'],
    ['registrar update ALPHA --webhook https://b.hooks.ee/', undefined],
    ['registrar update ALPHA --no-webhook', undefined],
    [
      'system update epp --may auctions,changes --allow-ip 192.0.2.8',
      'system update epp --may domains --allow-ip 192.0.2.7',
    ],
  ];
  const said: (typeof commands)[number][] = [];
  for (const [command, , input] of commands) {
    const { back } = await requestOf(command, input);
    said.push([command, back, ...(input ? [input] : [])] as (typeof commands)[number]);
  }
  expect(said).toEqual(commands);
});

test('an operand with a hyphen at its beginning is no option of a printed command', () => {
  expect(commandLine(['contact', 'transfer', '-A:1', '--to', '-B'], { remote: true })).toBe(
    'npm run registry -- contact transfer --to -B --remote -- -A:1',
  );
});

test('what takes a change back names the same registry in any directory', () => {
  expect(commandLine(['health'], { persistTo: 'data' })).toBe(
    `npm run registry -- health --persist-to ${path.resolve('data')}`,
  );
});

test('JSON has the request of a change', async () => {
  const { request_id: request } = await registry.done('retained add json.ee --status blocked');
  const { history } = await registry.done('history retained json.ee');
  expect(history).toMatchObject([{ request_id: request }]);
});

test.each([
  'retained add json.ee --status blocked',
  'retained add none.ee --status blocked --dry-run',
  'lists publish --force',
  'retained list',
])('%s has no request to name', async (command) => {
  expect(await registry.run(command)).toMatchObject({ status: 0, stderr: '' });
  expect(await registry.done(command)).not.toHaveProperty('request_id');
});
