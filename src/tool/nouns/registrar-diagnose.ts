import { isIP } from 'node:net';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { networkOf } from '../../base/address-list.ts';
import { type LoginRefusal, RegistryError } from '../../base/error.ts';
import { asciiUpperCase } from '../../base/text/ascii-case.ts';
import { currentTime } from '../../base/time/clock.ts';
import { getRegistrar } from '../../party/registrar/account.ts';
import { authenticate, findRefusals, loginOf } from '../../party/registrar/login.ts';
import { listApiUsers } from '../../party/registrar/operator/api-user.ts';
import { readCommand } from '../command.ts';
import { readSecret } from '../report/ask.ts';
import { table } from '../report/table.ts';
import { verb } from '../run.ts';
import { parseFingerprint } from './certificate.ts';

/** The steps of a login in order, with their refusals. */
const steps = [
  { step: 'user', refusal: 'unknown user' },
  { step: 'secret', refusal: 'wrong secret' },
  { step: 'enabled', refusal: 'disabled' },
  { step: 'registrar', refusal: 'suspended' },
  { step: 'certificate', refusal: 'certificate' },
  { step: 'address', refusal: 'address' },
] as const satisfies readonly { step: string; refusal: LoginRefusal }[];

export const diagnose = verb(
  readCommand('diagnose', 'registrar diagnose ALPHA --username ats --ip 192.0.2.7')
    .description('Say why a registrar cannot log in')
    .argument('<code>', 'the registrar', asciiUpperCase)
    .requiredOption('--username <name>', 'the API user')
    .requiredOption('--ip <address>', 'the address that it calls from', parseAddress)
    .option('--fingerprint <sha256>', 'the client certificate that it presents', parseFingerprint)
    .option('--secret-stdin', 'read the secret from standard input; otherwise a terminal asks'),
  async ({ db }, code, { username, ip: address, fingerprint = null, secretStdin }) => {
    await getRegistrar(db, code);
    const user = (await listApiUsers(db, currentTime())).find((user) => user.username === username);
    if (user && user.registrarCode !== code) {
      const message = `API user ${username} acts for ${user.registrarCode}, not for ${code}`;
      throw new RegistryError('invalid', message, 'username');
    }
    const question = `Secret of ${username} (Enter leaves it out): `;
    const secret = await readSecret(secretStdin, question);
    const now = currentTime();
    const login =
      secret === ''
        ? { username, address, certificate: fingerprint, at: now.toISOString() }
        : await loginOf(username, secret, now, { address, certificate: fingerprint });
    // A login verifies a password, but does not say why it is refused.
    if ('secret' in login) {
      await authenticate(db, login).catch((error) => {
        if (!(error instanceof RegistryError)) throw error;
      });
    }
    const refusals = await findRefusals(db, login);
    const results = steps.map(({ step, refusal }) => {
      const isLookedAt = step === 'secret' ? secret !== '' : step === 'user' || user;
      if (refusals.includes(refusal)) return { step, result: `refused: ${refusal}` };
      return { step, result: isLookedAt && user ? 'passed' : 'not looked at' };
    });
    const limit = `not looked at: too many failed logins from ${networkOf(address)} get 429 for a minute`;
    if (refusals.length > 0) process.exitCode = 1;
    return {
      data: { registrar: code, username, address, refusals, steps: results, limit },
      text: [
        ...(user ? [] : [`there is no API user ${JSON.stringify(username)}`]),
        ...table([...results, { step: 'limit', result: limit }], '', ['step', 'result']),
      ],
    };
  },
);

function parseAddress(text: string): string {
  if (isIP(text) !== 0) return text;
  throw new InvalidArgumentError('It must be an IPv4 or IPv6 address.');
}
