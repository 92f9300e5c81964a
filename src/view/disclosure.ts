import type { Env } from '../base/env.ts';
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
