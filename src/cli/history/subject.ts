import type { HistorySubject } from '../../../drizzle/schema.ts';

const nounOfSubject = {
  registrar: 'registrar',
  api_user: 'api-user',
  contact: 'contact',
  domain: 'domain',
  retained_domain: 'retained',
  dispute: 'dispute',
  auction: 'auction',
} as const satisfies Record<HistorySubject, string>;

type Noun = (typeof nounOfSubject)[HistorySubject];

/** The nouns that history tells of. */
export const historyNouns = Object.values(nounOfSubject);

/** The noun of the tool for a subject of history. */
export function nounOf(subject: HistorySubject): Noun {
  return nounOfSubject[subject];
}

/** The subject of history for a noun of the tool. */
export function subjectOfNoun(noun: Noun): HistorySubject {
  const subjects = Object.keys(nounOfSubject) as HistorySubject[];
  return subjects.find((subject) => nounOfSubject[subject] === noun)!;
}
