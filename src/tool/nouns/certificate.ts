import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { RegistryError } from '../../base/error.ts';
import {
  bindCertificate,
  type Certificate,
  holderOf,
  listCertificates,
  requireCertificate,
  unbindCertificate,
} from '../../party/credential/operator/certificate.ts';
import { holderText } from '../../party/credential/operator/holder.ts';
import { reportOfChange } from '../../view/changes.ts';
import { dataOf } from '../../view/columns.ts';
import {
  certificateColumns,
  certificatesView,
  type ListedCertificate,
} from '../../view/holders.ts';
import { noun, parsePath, requireOneOf, writeCommand } from '../command.ts';
import { readError } from '../files/read.ts';
import { verb } from '../run.ts';
import { listCommand, listVerb, type RowView } from '../view.ts';

const ofHolder = (name: string, ...examples: string[]) =>
  writeCommand(name, ...examples)
    .option('--user <username>', 'the API user')
    .addOption(new Option('--system <name>', 'the system').conflicts('user'))
    .hook('preAction', requireOneOf('--user', '--system'));

const ofCertificate = (name: string, ...examples: string[]) =>
  ofHolder(name, ...examples)
    .option('--file <path>', 'the certificate in PEM', parsePath)
    .addOption(
      new Option('--fingerprint <sha256>', 'or its SHA-256')
        .argParser(parseFingerprint)
        .conflicts('file'),
    )
    .hook('preAction', requireOneOf('--file', '--fingerprint'));

const bind = verb(
  ofCertificate('bind', 'certificate bind --user ats --file client.pem').description(
    'Bind a client certificate to an API user or a system',
  ),
  async (registry, options) => {
    const [holder, certificate] = [chosenHolder(options), await certificateOf(options)];
    await bindCertificate(registry, holder, certificate);
    return {
      data: { certificate: dataOf(certificateColumns, certificate) },
      text: `${registry.did('bind', 'bound')} certificate ${textOf(certificate)} to ${holderText(holder)}`,
    };
  },
);

const unbind = verb(
  ofCertificate('unbind', 'certificate unbind --user ats --file client.pem').description(
    'End a client certificate, effective from the next request',
  ),
  async (registry, options) => {
    const [holder, certificate] = [chosenHolder(options), await certificateOf(options)];
    const { isLockedOut } = await unbindCertificate(registry, holder, certificate.fingerprint);
    const text = `${registry.did('unbind', 'unbound')} certificate ${textOf(certificate)} from ${holderText(holder)}`;
    return {
      data: { certificate: dataOf(certificateColumns, certificate), locked_out: isLockedOut },
      text: isLockedOut
        ? [
            text,
            `${holderText(holder)} needs a certificate and has no unexpired one left: its logins are refused`,
          ]
        : text,
    };
  },
);

const require = verb(
  ofHolder('require', 'certificate require --user ats', 'certificate require --user ats --off')
    .description('Refuse the logins of an API user or a system without a bound certificate')
    .option('--off', 'let them in without one again'),
  async (registry, options) => {
    const holder = chosenHolder(options);
    const isRequired = !options.off;
    const required = await requireCertificate(registry, holder, isRequired);
    const isUnpresented = isRequired && !required.isPresented;
    const { data, text } = reportOfChange(registry, holderText(holder), required.changes);
    return {
      data: { ...data, not_presented_yet: isUnpresented ? [holder.key] : [] },
      text: isUnpresented
        ? [
            text,
            `${holderText(holder)} has not presented a certificate yet: its logins are refused until it does`,
          ]
        : text,
    };
  },
);

const certificates: RowView<ListedCertificate, unknown[]> = {
  ...certificatesView,
  read: ({ db }) => listCertificates(db),
};

const list = listVerb(certificates, listCommand('List the certificates', 'certificate list'));

const verbs = [bind, unbind, require, list];
export const certificateCommand = noun('certificate', 'Client certificates', verbs);

const chosenHolder = ({ user, system }: { user?: string; system?: string }) =>
  holderOf({ username: user ?? null, system: system ?? null });

export function parseFingerprint(text: string): string {
  const digits = text.replaceAll(':', '').toLowerCase();
  if (/^[0-9a-f]{64}$/.test(digits)) return digits;
  throw new InvalidArgumentError('It must be a SHA-256: 64 hexadecimal digits.');
}

/** Only a file has name and end. Throws `invalid` for a file without PEM. */
async function certificateOf({ file, fingerprint }: { file?: string; fingerprint?: string }) {
  if (file === undefined) return { fingerprint: fingerprint!, commonName: null, expiresAt: null };
  const pem = await readFile(file).catch((error) => {
    throw readError(file, error);
  });
  try {
    const { fingerprint256, subject, validToDate } = new X509Certificate(pem);
    return {
      fingerprint: parseFingerprint(fingerprint256),
      commonName: /^CN=(.*)$/m.exec(subject)?.[1] ?? null,
      expiresAt: validToDate.toISOString(),
    };
  } catch {
    throw new RegistryError('invalid', `${file} is not a certificate in PEM`, 'file');
  }
}

function textOf({ fingerprint, commonName, expiresAt }: Certificate): string {
  const end = expiresAt === null ? 'whose end is not known' : `until ${expiresAt}`;
  return `${commonName ?? fingerprint}, ${end},`;
}
