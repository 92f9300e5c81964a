import { execSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { startTool } from './tool.ts';

const tool = startTool();
const registry = tool.sharedRegistry('ALPHA');
const fingerprint = 'ab'.repeat(32);
let directory: string;

/** A self-signed certificate for so many days. */
function newCertificate(commonName: string, days: number): string {
  const file = path.join(directory, `${commonName}.pem`);
  const key = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout /dev/null';
  const names = `-subj /O=Alpha/CN=${commonName} -out ${file}`;
  execSync(`openssl req -x509 ${key} -days ${days} ${names}`, { stdio: 'ignore' });
  return file;
}

beforeAll(async () => {
  directory = await tool.newDirectory();
  await registry.done('api-user add --registrar ALPHA --username ats');
  await registry.done('system add epp');
});

test('a certificate is bound from its file, required, listed and unbound', async () => {
  const file = newCertificate('ats.example.ee', 20);
  const unbound = await registry.run('certificate require --user ats');
  expect(unbound.stderr).toBe('refused: no unexpired certificate is bound to API user ats\n');

  const bind = `certificate bind --user ats --file ${file}`;
  expect(await registry.done(`${bind} --dry-run`)).toMatchObject({ changed: false });
  const bound = await registry.done(bind);
  const inFile = execSync(`openssl x509 -in ${file} -noout -fingerprint -sha256`);
  const [, colons] = /=(\S+)/.exec(String(inFile)) as unknown as [string, string];
  const certificate = {
    fingerprint: colons.replaceAll(':', '').toLowerCase(),
    common_name: 'ats.example.ee',
    expires_at: expect.stringMatching(/^\d{4}-/),
  };
  expect(bound).toMatchObject({ certificate, changed: true });

  const again = await registry.run(`certificate bind --user ats --fingerprint ${colons}`);
  expect(again.stderr).toBe(
    'refused: this certificate is already bound to API user ats [fingerprint]\n',
  );
  expect(await registry.done('certificate require --user ats')).toMatchObject({
    changes: { is_certificate_required: { from: false, to: true } },
    changed: true,
    not_presented_yet: ['ats'],
  });
  const { stdout } = await registry.run('certificate require --user ats');
  expect(stdout).toContain(
    'nothing to change: API user ats already has these values\nAPI user ats has not presented',
  );
  expect(await registry.done('certificate list')).toEqual({
    certificates: [
      {
        api_user: 'ats',
        system: null,
        ...certificate,
        presented_at: null,
        is_required: true,
        created_at: expect.any(String),
      },
    ],
  });

  const diagnose = 'registrar diagnose ALPHA --username ats --ip 192.0.2.1';
  expect((await registry.run(diagnose)).stdout).toMatch(/^certificate +refused: certificate$/m);
  const presenting = await registry.run(`${diagnose} --fingerprint ${colons}`);
  expect(presenting.stdout).toMatch(/^certificate +passed$/m);

  const { stdout: health } = await registry.run('health');
  expect(health).toMatch(
    /^alarm certificate_ending: The last certificate of API user ats, which needs one, ends at \d{4}-/m,
  );
  const later = newCertificate('later.example.ee', 60);
  await registry.done(`certificate bind --user ats --file ${later}`);
  expect((await registry.run('health')).stdout).not.toContain('certificate_ending');

  const unbind = (file: string, option = '') =>
    registry.run(`certificate unbind --user ats --file ${file}${option}`);
  expect((await unbind(file)).stdout).toMatch(/^unbound certificate /);
  expect((await unbind(file)).stderr).toBe(
    'refused: this certificate is not bound to API user ats [fingerprint]\n',
  );
  const lockedOut =
    'API user ats needs a certificate and has no unexpired one left: its logins are refused';
  expect((await unbind(later, ' --dry-run')).stdout).toContain(lockedOut);
  expect(await registry.done('certificate list')).toMatchObject({ certificates: [{}] });
  expect((await unbind(later)).stdout).toContain(`\n${lockedOut}\n`);
  expect((await registry.run('health')).stdout).toContain(
    'alarm certificate_ending: No certificate is bound to API user ats, which needs one: its logins are refused.\n',
  );
  expect(await registry.done('certificate require --user ats --off')).toMatchObject({
    changed: true,
    not_presented_yet: [],
  });
  const { history } = await registry.done('history api-user ats');
  const fields = history
    .toReversed()
    .map(({ changes }: { changes: object }) => Object.keys(changes));
  expect(fields.slice(1).flat()).toEqual([
    'certificate',
    'is_certificate_required',
    'certificate',
    'certificate',
    'certificate',
    'is_certificate_required',
  ]);
});

test('a certificate of a system may be known by its fingerprint alone', async () => {
  const bind = `certificate bind --system epp --fingerprint ${fingerprint.toUpperCase()}`;
  const bound = await registry.done(bind);
  expect(bound.certificate).toEqual({ fingerprint, common_name: null, expires_at: null });
  await registry.done('certificate require --system epp');
  const listed = await registry.run('certificate list');
  expect(listed.stdout).toMatch(new RegExp(`^- +epp +yes +- +- +- +${fingerprint}$`, 'm'));
  await registry.done('system remove epp --yes');
  const { certificates } = await registry.done('certificate list');
  expect(certificates.filter(({ system }: { system: unknown }) => system !== null)).toEqual([]);
});

test('what is not a certificate and an unknown holder are refused', async () => {
  const text = path.join(directory, 'text.pem');
  await writeFile(text, 'no certificate');
  const refused = async (options: string) =>
    (await registry.run(`certificate bind ${options}`)).stderr;
  expect(await refused(`--user ats --file ${text}`)).toBe(
    `refused: ${text} is not a certificate in PEM [file]\n`,
  );
  expect(await refused(`--user mari --fingerprint ${fingerprint}`)).toBe(
    'refused: there is no API user "mari" [user]\n',
  );
  expect(await refused(`--system shop --fingerprint ${fingerprint}`)).toBe(
    'refused: there is no system "shop" [system]\n',
  );
});
