import { PassThrough } from 'node:stream';
import { beforeAll, expect, test, vi } from 'vitest';
import type { Operation } from '../../src/change/origin.ts';
import { deleteAnyContact, updateAnyContact } from '../../src/contact/operator/administer.ts';
import { eraseContact } from '../../src/contact/operator/erase.ts';
import { cancelAuction } from '../../src/name/auction/cancel.ts';
import { startAuctions } from '../../src/name/auction/operator/start.ts';
import type { Auction } from '../../src/name/auction/read.ts';
import { updateAuction } from '../../src/name/auction/report.ts';
import {
  addSystem as addSystemAccount,
  removeSystem,
} from '../../src/party/system/operator/system.ts';
import { askSecret } from '../../src/tool/report/ask.ts';
import { confirm, confirmedChange } from '../../src/tool/report/confirm.ts';
import { addAuction, addContact, addRegistrar } from '../support/fixtures.ts';
import { shareEmptyWorker } from '../support/worker.ts';
import { startTool } from './tool.ts';

const worker = shareEmptyWorker();
const registry = startTool().sharedRegistry('ALPHA');

beforeAll(async () => {
  await registry.addRecords({
    ...{ code: 'ALPHA:1', uuid: '7c2f1a34-0e0b-4f43-9a54-0d2f6a7b8c91', name: 'Jaan Tamm' },
    ...{ email: 'jaan@example.ee', phone: '+372.5123456', ident: '12345671' },
    ...{ ident_type: 'org', ident_country_code: 'EE' },
  });
  await registry.done('auction start kohv.ee');
});

const noTerminal = 'There is no terminal to ask on; confirm with --yes\n';

test.each([
  [
    'contact delete alpha:1',
    'refused: This deletes contact ALPHA:1 (Jaan Tamm, 12345671, jaan@example.ee). ',
  ],
  [
    'contact erase ALPHA:1',
    'refused: would erase contact ALPHA:1 (7c2f1a34-0e0b-4f43-9a54-0d2f6a7b8c91)\n' +
      '  contact: deleted, with name, ident, email, phone, creator_str\n' +
      '  history: values of name, ident, email, phone removed from 1 entry; who changed which fields, and when, stays\n' +
      'Time Travel keeps the values for up to 30 days, nightly backups for up to a year, and files that were exported as long as you keep them\n' +
      'This cannot be undone. ',
  ],
  [
    'auction cancel kohv.ee --reason mistake',
    /^refused: This cancels the auction of kohv\.ee, started on 20\d\d-\d\d-\d\dT[\d:.]+Z\. /,
  ],
])('%j shows what goes and asks, and does nothing without an answer', async (args, shown) => {
  const before = await registry.rows();
  const { status, stderr } = await registry.run(args);
  expect(status).toBe(1);
  expect(stderr).toMatch(shown);
  expect(stderr.endsWith(noTerminal)).toBe(true);
  expect(await registry.rows()).toEqual(before);
});

test('what cannot be done is refused without a question', async () => {
  const cancel = ['auction', 'cancel', 'vaba.ee', '--reason', 'mistake'];
  expect((await registry.run(cancel)).stderr).toBe(
    'refused: there is no auction of "vaba.ee" [name]\n',
  );
  expect((await registry.run('contact delete ALPHA:9')).stderr).toBe(
    'refused: there is no contact "ALPHA:9" [code]\n',
  );
});

const meanwhile = 'somebody else changed this just now, so it was left as it is; look again';

/** Confirmed, while something happens between the question and the answer. */
const confirmedAfter = (
  change: (operation: Operation) => Promise<unknown>,
  meanwhile: () => Promise<unknown>,
) =>
  confirmedChange(
    worker.operation,
    { yes: true },
    async (operation) => {
      const changed = await change(operation);
      if (operation.isDryRun) await meanwhile();
      return changed;
    },
    () => '',
  );

test.each([
  ['deleted', deleteAnyContact],
  ['erased', eraseContact],
])('a contact that changes while the question stands is not %s', async (_, remove) => {
  const { code } = await addContact(worker.env, await addRegistrar(worker.env));
  const removal = confirmedAfter(
    (operation) => remove(operation, code),
    () => updateAnyContact(worker.operation, code, { city: 'Tartu' }),
  );
  await expect(removal).rejects.toThrow(meanwhile);
});

test('a system that is removed and added again while the question stands is not removed', async () => {
  const { operation } = worker;
  const settings = { rights: ['domains' as const], allowedIps: [] };
  await addSystemAccount(operation, { name: 'epp', ...settings });
  const removal = confirmedAfter(
    (operation) => removeSystem(operation, 'epp'),
    async () => {
      await removeSystem(operation, 'epp');
      await addSystemAccount(operation, { name: 'epp', ...settings });
    },
  );
  await expect(removal).rejects.toThrow(meanwhile);
});

test.each([
  [
    'on which somebody reports',
    async ({ uuid }: Auction) => {
      await updateAuction(worker.operation, uuid, { status: 'awaiting_payment' }, []);
    },
  ],
  [
    'that is put up again',
    async ({ uuid, name, punycode }: Auction) => {
      await cancelAuction(worker.operation, { auction: uuid, reason: 'mistake' });
      await startAuctions(worker.operation, [{ name, punycode }]);
    },
  ],
])('an auction %s while the question stands is not cancelled', async (_, change) => {
  const auction = await addAuction(worker.env);
  const named = { auction: auction.name, reason: 'mistake' };
  const cancelling = confirmedAfter(
    (operation) => cancelAuction(operation, named),
    () => change(auction),
  );
  await expect(cancelling).rejects.toThrow(meanwhile);
});

/** A terminal with a keyboard, on which the keys of a control character work. */
function keyboard() {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode() {} });
  return { input, output: Object.assign(new PassThrough(), { isTTY: true }) };
}

test('Ctrl-C at a question interrupts the command', async () => {
  const { input, output } = keyboard();
  using kill = vi.spyOn(process, 'kill').mockReturnValue(true);
  const asked = confirm('This removes it.', '', { input, output });
  input.write('\x03');
  await Promise.race([vi.waitFor(() => expect(kill).toHaveBeenCalled()), asked]);
  expect(kill).toHaveBeenCalledWith(process.pid, 'SIGINT');
  input.write('y\r');
  await asked;
});

test.each(['', 'n', 'yesterday'])('the answer %j does not confirm', async (typed) => {
  const { input, output } = keyboard();
  const asked = confirm('This removes it.', '', { input, output });
  input.end(`${typed}\n`);
  await expect(asked).rejects.toThrow('not confirmed');
});

test('Ctrl-D at a question does not confirm', async () => {
  const { input, output } = keyboard();
  const asked = confirm('This removes it.', '', { input, output });
  input.write('\x04');
  await expect(asked).rejects.toThrow('not confirmed');
});

test('a terminal that goes away at a question does not confirm', async () => {
  const { input } = keyboard();
  const asked = confirm('This removes it.', '', { input, output: new PassThrough() });
  input.end();
  await expect(asked).rejects.toThrow('not confirmed');
});

test('Ctrl-D leaves a secret out', async () => {
  const { input, output } = keyboard();
  const asked = askSecret('Secret: ', { input, output });
  input.write('\x04');
  expect(await asked).toBe('');
});
