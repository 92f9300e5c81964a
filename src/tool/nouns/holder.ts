import type { LoginRefusal } from '../../base/error.ts';
import { changesRepresentation } from '../../change/history/changes.ts';
import { type Holder, type HolderType, holders } from '../../party/credential/holder.ts';
import {
  holderText,
  rotateHolder,
  setHolderDisabled,
} from '../../party/credential/operator/holder.ts';
import { findRefusals } from '../../party/registrar/login.ts';
import { listSystems } from '../../party/system/operator/system.ts';
import type { Lines } from '../../view/text.ts';
import { writeCommand } from '../command.ts';
import type { Registry } from '../registry.ts';
import { verb } from '../run.ts';

function holderData({ type, key }: Holder, secret?: string) {
  return type === 'system' ? { system: { name: key, key: secret } } : { username: key, secret };
}

/** The report of a change with a new secret. A dry run makes none. */
export function secretText(done: string, shown: string, secret: string | undefined): Lines {
  return secret === undefined ? done : [`${done}; ${shown}, shown only now:`, secret];
}

export async function rotate(registry: Registry, holder: Holder, how: { atOnce: boolean }) {
  const secret = await rotateHolder(registry, holder, how);
  const done = `${registry.did('replace')} the ${holders[holder.type].secret} of ${holderText(holder)}`;
  const refusals = await holderRefusals(registry, holder);
  return {
    data: { ...holderData(holder, secret), refused_because: refusals },
    text: [secretText(done, 'the new one', secret), ...refusalLines(registry, holder, refusals)],
    secret,
  };
}

/** The reasons for refusing a holder's logins, regardless of secret and address. */
export async function holderRefusals({ db, origin }: Registry, { type, key }: Holder) {
  if (type === 'system') {
    const system = (await listSystems(db)).find(({ name }) => name === key);
    if (!system) return [];
    const refusals: [LoginRefusal, boolean][] = [
      ['disabled', system.disabledAt !== null],
      ['certificate', system.isCertificateRequired],
      ['address', system.allowedIps.length === 0],
    ];
    return refusals.flatMap(([refusal, isRefused]) => (isRefused ? [refusal] : []));
  }
  const at = origin.request.at.toISOString();
  const login = { username: key, address: undefined, certificate: null, at };
  const refusals = await findRefusals(db, login);
  return refusals.filter((refusal) => ['disabled', 'suspended', 'certificate'].includes(refusal));
}

const refusalSentences: Partial<Record<LoginRefusal, (holder: Holder) => [string, string[]]>> = {
  disabled: ({ type, key }) => ['It is still disabled', [nounOf(type), 'enable', key]],
  suspended: () => ['Its registrar is suspended', ['registrar', 'resume', '--help']],
  certificate: () => ['It needs a client certificate too', ['certificate', 'bind', '--help']],
  address: ({ key }) => ['It may call from nowhere', ['system', 'update', key, '--help']],
};

export const refusalLines = (
  { commandLine }: Registry,
  holder: Holder,
  refusals: readonly LoginRefusal[],
) =>
  refusals.map((refusal) => {
    const [sentence, command] = refusalSentences[refusal]?.(holder) ?? [];
    return command ? `${sentence} (${commandLine(command)}).` : refusal;
  });

const nounOf = (type: HolderType) => type.replace('_', '-');

export function switching(type: HolderType, example: string) {
  const { label, withArticle, field, option } = holders[type];
  const noun = nounOf(type);
  const verbOf = (word: 'disable' | 'enable', back: string, description: string) =>
    verb(
      writeCommand(word, `${noun} ${word} ${example}`)
        .description(description)
        .argument(`<${field}>`, `the ${option}`),
      async (registry, key) => {
        const holder = { type, key };
        const isDisabled = word === 'disable';
        const changes = await setHolderDisabled(registry, holder, isDisabled);
        const changed = changes.disabledAt !== undefined;
        const shown = { disabled: isDisabled, changes: changesRepresentation(changes) };
        const thing = holderText(holder);
        return {
          data: { ...holderData(holder), ...shown, changed },
          text: [
            changed
              ? `${registry.did(word)} ${thing}`
              : `nothing to change: ${thing} is already ${word}d`,
            ...(isDisabled || registry.isDryRun
              ? []
              : refusalLines(registry, holder, await holderRefusals(registry, holder))),
          ],
          undo: [noun, back, key],
        };
      },
    );
  return [
    verbOf('disable', 'enable', `Disable ${withArticle}, effective from the next request`),
    verbOf('enable', 'disable', `Re-enable a disabled ${label}`),
  ];
}
