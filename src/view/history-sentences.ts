import type { HistorySubject } from '../../drizzle/schema.ts';
import { type Sentence, sentence, type Thing } from '../base/text/sentence.ts';
import type { HistoryEntry } from '../change/history/search.ts';
import { joinThings } from './sentence.ts';
import { isNothing } from './words.ts';

/** What is done by an entry that creates, changes or deletes each kind of thing, and the page about the thing. */
const verbs: Record<HistorySubject, readonly [string, string, string, Thing['kind']?]> = {
  registrar: ['added the registrar', 'changed the registrar', 'removed the registrar', 'registrar'],
  api_user: ['added the API user', 'changed the API user', 'removed the API user'],
  system: ['added the system', 'changed the system', 'removed the system'],
  contact: ['created the contact', 'changed the contact', 'deleted the contact', 'contact'],
  domain: ['recorded the domain', 'changed the domain', 'removed the domain', 'name'],
  retained_domain: ['retained', 'changed the reservation of', 'released', 'name'],
  dispute: ['opened a dispute of', 'changed the dispute of', 'removed the dispute of', 'name'],
  auction: ['started the auction of', 'changed the auction of', 'removed the auction of', 'name'],
  disclosure: ['opened', 'answered', 'removed', 'disclosure'],
};

type EntryParts = Omit<HistoryEntry, 'id' | 'occurredAt' | 'requestId'>;

const actions = { create: 0, update: 1, delete: 2 } as const;

export function entrySentence(entry: EntryParts): Sentence {
  const { subject, subjectKey: key, subjectUuid: uuid, action, changes } = entry;
  const kind = verbs[subject][3];
  const ofContact = kind === 'contact' ? ({ uuid, named: 'now' } as const) : {};
  const thing = kind ? { kind, key, ...ofContact } : key;
  const { status } = changes;
  const isRetaining = subject === 'retained_domain' && action === 'create';
  const verb = verbs[subject][actions[action]];
  const deed = action === 'update' ? deedOf(changes) : undefined;
  const did =
    isRetaining && status && 'to' in status ? status.to : verb.replace(/^changed/, deed ?? '$&');
  return [...actorSentence(entry), ` ${did} `, thing];
}

/** What an update did, if it says more than that something was changed. */
function deedOf(changes: HistoryEntry['changes']): string | undefined {
  const { disabledAt, suspendedAt, secretDigest, keyDigest } = changes;
  if (disabledAt && 'to' in disabledAt) return isNothing(disabledAt.to) ? 'enabled' : 'disabled';
  if (suspendedAt && 'to' in suspendedAt)
    return isNothing(suspendedAt.to) ? 'resumed' : 'suspended';
  if (secretDigest) return 'replaced the secret of';
  return keyDigest ? 'replaced the key of' : undefined;
}

function actorSentence({ actor, actorType, subject, registrar }: EntryParts): Sentence {
  const isOfRegistrar = actorType === 'api_user' && subject === 'contact' && registrar !== null;
  return isOfRegistrar ? [{ actor }, ' of ', { kind: 'registrar', key: registrar }] : [{ actor }];
}

/** What the thing is called in the sentence above, and what nobody asks about. */
const leftOut = new Set(['punycode', 'uuid', 'code']);

/** A sentence for each field: `phone: +372.5551234 → +372.5559999`; those without values share one. */
export function changeSentences({ action, changes, subjectKey }: HistoryEntry): Sentence[] {
  const fields = Object.entries(changes).filter(([field]) => !leftOut.has(field));
  const hidden = (kind: 'redacted' | 'removed', why: string): Sentence[] => {
    const value = fields.filter(([, change]) => kind in change).map(([field]) => field);
    return value.length > 0 ? [sentence`${{ field: 'fields', value }}: ${why}`] : [];
  };
  const sentences = fields.flatMap(([field, change]): Sentence[] => {
    if (!('from' in change)) return [];
    const { from, to, uuids } = change;
    if ([from, to].every((value) => isNothing(value) || value === subjectKey)) return [];
    const [before, after] = [sideOf(field, from, uuids), sideOf(field, to, uuids)];
    // The reason of a deletion comes with it.
    const last = isNothing(from) ? after : before;
    const both = { create: after, delete: last, update: [...before, ' → ', ...after] };
    return [[{ field }, ': ', ...both[action]]];
  });
  return [
    ...sentences,
    ...hidden('redacted', 'not shown'),
    ...hidden('removed', 'the values have been removed since'),
  ];
}

/** Fields that hold codes. */
export const thingFields: Record<string, Thing['kind']> = {
  registrar: 'registrar',
  registrant: 'contact',
  admin: 'contact',
  tech: 'contact',
  contactCode: 'contact',
};

/** A code may be another contact's by now, so the UUIDs say whose name is beside it. */
function sideOf(field: string, value: unknown, uuids: Record<string, string> = {}): Sentence {
  const kind = thingFields[field];
  if (!kind || isNothing(value)) return [{ field, value }];
  const keys = [value].flat() as string[];
  const past = kind === 'contact' ? ({ named: 'now' } as const) : {};
  return joinThings(keys.map((key) => ({ kind, key, uuid: uuids[key] ?? null, ...past })));
}
