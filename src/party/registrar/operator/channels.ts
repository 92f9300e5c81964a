import { type Problem, throwProblems } from '../../../base/error.ts';
import { onFirstUse } from '../../../base/on-first-use.ts';
import { emailField } from '../../../base/text/email.ts';
import { expectedSentence, isBlank, textField, unseenIn } from '../../../base/text/field.ts';
import { phoneField } from '../../../base/text/phone.ts';

/** How people reach a registrar. Each zod type accepts the operator's value and returns the stored one. */
export const channelRules = {
  phone: onFirstUse(() => phoneField('Phone is invalid')),
  email: onFirstUse(() => emailField('Email is invalid')),
  website: onFirstUse(() =>
    textField(
      'Website is invalid',
      255,
      (text) => unseenIn(text) ?? isWebsite(text),
      'an http or https URL of at most 255 characters, without a user name',
    ),
  ),
};

export type Channel = keyof typeof channelRules;
export const channels = Object.keys(channelRules) as Channel[];

function isWebsite(text: string): boolean {
  if (!/^https?:\/\/\S+$/i.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}

/** Leaves undefined fields out; a blank one becomes null. Throws all problems. */
export function channelValues(
  texts: Partial<Record<Channel, string | undefined>>,
): Partial<Record<Channel, string | null>> {
  const problems: Problem[] = [];
  const values: Partial<Record<Channel, string | null>> = {};
  for (const channel of channels) {
    const text = texts[channel];
    if (text === undefined) continue;
    const rule = channelRules[channel]();
    const { data = null, error } = isBlank(text) ? {} : rule.safeParse(text);
    const [issue] = error?.issues ?? [];
    const detail = expectedSentence(rule, issue);
    if (issue) problems.push({ reason: 'invalid', message: issue.message, field: channel, detail });
    else values[channel] = data;
  }
  throwProblems(problems);
  return values;
}
