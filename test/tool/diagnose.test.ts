import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { beforeAll, expect, it, test } from 'vitest';
import { hashPassword } from '../../src/party/registrar/operator/password.ts';
import { askSecret } from '../../src/tool/report/ask.ts';
import { startTool } from './tool.ts';

const registry = startTool().sharedRegistry('ALPHA', 'BETA');
let secret: string;

beforeAll(async () => {
  await registry.done('registrar update ALPHA --allow-ip 192.0.2.0/24');
  const add = ['api-user', 'add', '--registrar', 'ALPHA', '--username'];
  ({ secret } = await registry.done([...add, 'ats']));
  await registry.done([...add, 'disabled']);
  await registry.done('api-user disable disabled');
  await registry.done([...add, 'former']);
  registry.edit(`update api_users set secret_digest = null,
    password_hash = '${await hashPassword('vana parool')}' where username = 'former'`);
});

const diagnose = (username: string, ip: string, ...options: string[]) => [
  ...['registrar', 'diagnose', 'ALPHA', '--username', username, '--ip', ip],
  ...options,
];

const [passed, skipped] = ['passed', 'not looked at'];
const all = Array(6).fill(passed);
const wrong = 'refused: wrong secret';

test.each([
  ['lets in the right secret from an address on the list', 'ats', '192.0.2.7', () => secret, all],
  ['lets in the right password', 'former', '192.0.2.7', () => 'vana parool', all],
  [
    'names a wrong secret and the address beside it',
    'ats',
    '198.51.100.1',
    () => 'guessed',
    [passed, wrong, passed, passed, passed, 'refused: address'],
  ],
  [
    'names an unknown user, and looks no further',
    'nobody',
    '192.0.2.7',
    () => 'guessed',
    ['refused: unknown user', skipped, skipped, skipped, skipped, skipped],
  ],
  [
    'names a disabled user',
    'disabled',
    '::ffff:192.0.2.7',
    () => '',
    [passed, skipped, 'refused: disabled', passed, passed, passed],
  ],
])('registrar diagnose %s', async (_, username, ip, secretOf, expected) => {
  const options = ['--secret-stdin', '--json'];
  const { status, stdout } = await registry.run(diagnose(username, ip, ...options), secretOf());
  const { steps, refusals, limit } = JSON.parse(stdout);
  const names = ['user', 'secret', 'enabled', 'registrar', 'certificate', 'address'];
  expect(steps).toEqual(names.map((step, index) => ({ step, result: expected[index] })));
  expect(status).toBe(refusals.length === 0 ? 0 : 1);
  expect(limit).toContain('not looked at');
  if (secretOf() !== '') expect(stdout).not.toContain(secretOf());
});

test('registrar diagnose leaves the secret out where there is no terminal to ask on', async () => {
  expect(await registry.run(diagnose('ats', '192.0.2.7'))).toEqual({
    status: 0,
    stdout: `STEP         RESULT
user         passed
secret       not looked at
enabled      passed
registrar    passed
certificate  passed
address      passed
limit        not looked at: too many failed logins from 192.0.2.7 get 429 for a minute
`,
    stderr: '',
  });
});

test('api-user list shows who still logs in with an old password', async () => {
  const { api_users: users } = await registry.done('api-user list');
  const old = users.filter((user: { has_old_password: boolean }) => user.has_old_password);
  expect(old).toMatchObject([{ username: 'former' }]);
  expect((await registry.run('api-user list')).stdout).toMatch(/^former +ALPHA +yes /m);
});

test('registrar diagnose tells a user of another registrar apart', async () => {
  const args = diagnose('ats', '192.0.2.7').map((word) => (word === 'ALPHA' ? 'BETA' : word));
  expect(await registry.run(args)).toEqual({
    status: 1,
    stdout: '',
    stderr: 'refused: API user ats acts for ALPHA, not for BETA [username]\n',
  });
});

it('asks for a secret without showing it', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const terminal = { input: Object.assign(input, { isTTY: true, setRawMode() {} }), output };
  const asked = askSecret('Secret: ', terminal);
  input.write('open sesame\r');
  expect(await asked).toBe('open sesame');
  expect(await text(output.end())).toBe('Secret: \n');
});
