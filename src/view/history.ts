import type { HistorySubject } from '../../drizzle/schema.ts';
import { changesRepresentation } from '../change/history/changes.ts';
import type { HistoryEntry } from '../change/history/search.ts';
import { changeTexts } from './changes.ts';
import { dataOf, plain, type ViewColumns } from './columns.ts';

export const nounOf = {
  registrar: 'registrar',
  api_user: 'api-user',
  system: 'system',
  contact: 'contact',
  domain: 'domain',
  retained_domain: 'retained',
  dispute: 'dispute',
  auction: 'auction',
  disclosure: 'disclosure',
} as const satisfies Record<HistorySubject, string>;

const columns: ViewColumns<HistoryEntry> = {
  ...plain('occurredAt'),
  subject: ({ subject }) => nounOf[subject],
  key: 'subjectKey',
  uuid: 'subjectUuid',
  ...plain('registrar', 'action', 'actorType', 'actor', 'requestId', 'clientReference'),
  changes: ({ changes }) => changesRepresentation(changes),
};

export const historyData = (entry: HistoryEntry) => dataOf(columns, entry);

function entryText(entry: HistoryEntry): string[] {
  const { occurredAt, action, subject, subjectKey, subjectUuid, actor, requestId, changes } = entry;
  const uuid = subjectUuid === null ? '' : ` (${subjectUuid})`;
  const head = `${occurredAt}  ${action} ${nounOf[subject]} ${subjectKey}${uuid} by ${actor}, request ${requestId}`;
  return [head, ...changeTexts(changes).map((change) => `    ${change}`)];
}

export const historyView = { columns, textOf: entryText };
