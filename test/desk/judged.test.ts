import { beforeAll, expect, test } from 'vitest';
import { opening } from '../../src/tool/bindings.ts';
import { loopbackPages } from '../../src/tool/desk/pages.ts';
import { contactHeader, openKept, startTool } from '../tool/tool.ts';

const registry = startTool().sharedRegistry('ALPHA');

beforeAll(async () => {
  const people = ['TAMM', 'FORMER', 'GONE', 'FREE'].map(
    (code, n) => `ALPHA:${code},Mari Tamm,mari@tamm.example,+372.5551231,MT${n},priv,FI\n`,
  );
  await registry.done('contact import - --registrar ALPHA', contactHeader + people.join(''));
});

/** The text of a page and its commands, as they are typed. */
async function show(path: string) {
  const pages = loopbackPages({ persistTo: registry.directory }, undefined);
  const answer = await opening.run(openKept, () => pages.request(path));
  const [, main = ''] = (await answer.text()).split(/<main[^>]*>/);
  const texts = main.replaceAll('&quot;', '"').replaceAll('&#39;', "'");
  const commands = [...texts.matchAll(/<code>npm run registry -- (.*?) --persist-to/g)];
  return {
    status: answer.status,
    text: texts
      .replace(/<\/?bdi[^>]*>/g, '')
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' '),
    commands: commands.map(([, command]) => command!),
  };
}

async function openDisclosure(contact: string, fields: string): Promise<number> {
  const opened = await registry.done([
    ...['disclosure', 'open', '--contact', contact, '--requester', 'Mari Maasikas'],
    ...['--identified-by', 'ID card', '--organization', 'Police', '--basis', 'case 12-3'],
    ...['--fields', fields],
  ]);
  return opened.disclosure.id;
}

test('a request for a field without a value is to be granted without it', async () => {
  const id = await openDisclosure('ALPHA:TAMM', 'name,fax,phone');
  const { text, commands } = await show(`/disclosure/${id}`);
  expect(text).toContain('Nothing is recorded as fax: grant the other fields.');
  expect(text).not.toContain('no longer there');
  const grant = `disclosure grant ${id} --fields name,phone --to disclosure-${id}.json`;
  expect(commands).toContain(grant);
});

test('a request for fields without values alone is to be refused for that reason', async () => {
  const id = await openDisclosure('ALPHA:TAMM', 'fax,org_name');
  const { text, commands } = await show(`/disclosure/${id}`);
  expect(text).toContain('Nothing is recorded as fax, organisation: refuse it.');
  expect(commands.filter((command) => command.includes('grant'))).toEqual([]);
});

test.each([
  ['that is gone', 'GONE', 'contact delete ALPHA:GONE --yes', 'the contact is no longer there'],
  [
    'of another person',
    'FORMER',
    'contact update ALPHA:FORMER --ident OTHER --yes',
    'another identity',
  ],
])('a request about a contact %s is to be refused', async (_, code, change, reason) => {
  const id = await openDisclosure(`ALPHA:${code}`, 'name,fax');
  expect((await registry.run(change)).stderr).toMatch(/request/);
  const { text, commands } = await show(`/disclosure/${id}`);
  expect(text).toMatch(new RegExp(`Refuse it: [a-z ]*${reason}`));
  expect(commands.filter((command) => command.includes('grant'))).toEqual([]);
});

test('a request without an obstacle is to be granted as it is', async () => {
  const id = await openDisclosure('ALPHA:TAMM', 'name,email');
  const { text, commands } = await show(`/disclosure/${id}`);
  expect(text).not.toMatch(/Refuse it|Nothing is recorded/);
  expect(commands).toContain(`disclosure grant ${id} --to disclosure-${id}.json`);
});

const erasures = async (path: string) =>
  (await show(path)).commands.filter((command) => command.includes('erase'));

test('an erasure is offered by UUID, and not while a domain or a status prevents it', async () => {
  const { contact } = await registry.done('contact show ALPHA:FREE');
  expect(await erasures('/contact/ALPHA:FREE')).toEqual([
    `contact erase ${contact.uuid} --dry-run`,
  ]);
  await registry.done('domain import -', 'name,registrar,registrant\ntamm.ee,ALPHA,ALPHA:FREE\n');
  expect(await erasures('/contact/ALPHA:FREE')).toEqual([]);
  await registry.done('domain remove tamm.ee --yes');
  expect(await erasures('/contact/ALPHA:FREE')).toHaveLength(1);
  await registry.done('contact status ALPHA:FREE --add serverDeleteProhibited');
  expect(await erasures('/contact/ALPHA:FREE')).toEqual([]);
});

test('a request whose changes may be taken back shows the command, and any other the reason', async () => {
  const { request_id: first } = await registry.done('retained add kask.ee --status blocked');
  expect(await show(`/request/${first}`)).toMatchObject({
    text: expect.stringContaining('It can be taken back.'),
    commands: [`history revert ${first}`, `history --request ${first}`],
  });
  await registry.done(['retained', 'remove', 'kask.ee', '--status', 'blocked', '--yes']);
  const { text, commands } = await show(`/request/${first}`);
  expect(text).toMatch(
    /taken back: create retained domain kask.ee: changed since: delete by the operator \(\S+\) at \w{3} \d+ \w+ \d{4}, \d\d:\d\d UTC \(now\), request/,
  );
  expect(commands).toEqual([`history --request ${first}`]);
});

test('a request with more changes than the page shows is judged by a dry run', async () => {
  const names = Array.from({ length: 201 }, (_, n) => `many${n}.ee`);
  const { request_id: id } = await registry.done([
    'retained',
    'add',
    ...names,
    '--status',
    'blocked',
  ]);
  expect(await show(`/request/${id}`)).toMatchObject({
    text: expect.stringContaining('A dry run says whether it can be taken back.'),
    commands: [`history revert ${id} --dry-run`, `history --request ${id}`],
  });
});
