import type { Env } from '../base/env.ts';
import { type Sentence, sentence } from '../base/text/sentence.ts';
import { currentTime } from '../base/time/clock.ts';
import { answerBy, type Disclosure } from '../contact/operator/disclosure/read.ts';
import { disclosureHoursOf } from '../worker/settings.ts';
import { plain, type Shown } from './columns.ts';
import { countText } from './text.ts';

export type ShownDisclosure = ReturnType<ReturnType<typeof withAnswerBy>>;

export const disclosuresView: Shown<ShownDisclosure> = {
  name: 'disclosures',
  columns: {
    ...{ id: 'id', contact: 'contactCode', organization: 'organization' },
    fields: 'requestedFields',
    answer_by: { of: 'answerBy', cell: timeLeft },
    outcome: { of: 'outcome', cell: ({ outcome }) => outcome ?? 'open' },
    ...plain('contactUuid', 'requester', 'identifiedBy', 'basis', 'isConfidential', 'receivedAt'),
    ...plain('answeredAt', 'grantedFields', 'visibleAfter', 'explanation'),
  },
  table: 'id contact organization fields answer_by outcome',
};

const isKept = ({ isConfidential, outcome, visibleAfter }: Disclosure) =>
  isConfidential ||
  (outcome === 'granted' && visibleAfter !== null && visibleAfter > currentTime().toISOString());

/** What the person may know of the newest requests for the data of somebody with this identity. */
export function receiversSentence(
  requests: readonly Disclosure[],
  { isCut, isShared }: { isCut: boolean; isShared: boolean },
): Sentence {
  const granted = requests.filter((one) => one.outcome === 'granted' && !isKept(one));
  const receivers = [...new Set(granted.map(({ organization }) => organization))];
  const whose = isShared ? 'about these contacts' : 'with this identity code';
  const ofNewest = `Of the newest ${requests.length} requests ${whose}`;
  if (receivers.length === 0) {
    const none = 'granted request that the person may know of is on record';
    return [
      isCut ? `${ofNewest}, the person may know of none that was granted.` : `No ${none} ${whose}.`,
    ];
  }
  const given = receivers.flatMap((text, index) => [index === 0 ? '' : ', ', { text }]);
  return [
    isCut ? `${ofNewest}, these were granted: ` : 'Data were given on request to ',
    ...given,
    isCut ? '.' : `, ${whose}.`,
  ];
}

/** One for each organization and reason. */
export function warningSentences(requests: readonly Disclosure[]): Sentence[] {
  const kept = requests.filter(isKept).map((one): Sentence => {
    const { organization, outcome, isConfidential, visibleAfter } = one;
    const verb = outcome === null ? 'asks for data' : 'asked for data';
    const did =
      outcome === 'granted'
        ? sentence`data were given to ${{ text: organization }}`
        : sentence`${{ text: organization }} ${verb}`;
    const until = isConfidential
      ? ' (kept from the person).'
      : sentence` (not to be told before ${{ instant: visibleAfter! }}).`;
    return sentence`Do not tell the caller: ${did}${until}`;
  });
  return [...new Map(kept.map((one) => [JSON.stringify(one), one])).values()];
}

/** On the page of the contact. Staff must not tell the person of a confidential one. */
export const disclosuresOfContact: typeof disclosuresView = {
  ...disclosuresView,
  table:
    'id organization requester fields outcome granted_fields answered_at is_confidential visible_after',
};

function timeLeft({ answerBy, outcome }: Disclosure & { answerBy: string }): string {
  if (outcome !== null) return answerBy;
  const hours = Math.floor((Date.parse(answerBy) - currentTime().getTime()) / 3_600_000);
  return `${answerBy} (${hours < 0 ? 'overdue' : `${countText(hours, 'hour')} left`})`;
}

/** Throws before any change if the setting of the hours is malformed. */
export function withAnswerBy(env: Env) {
  const hours = disclosureHoursOf(env);
  return (disclosure: Disclosure) => ({ ...disclosure, answerBy: answerBy(disclosure, hours) });
}
