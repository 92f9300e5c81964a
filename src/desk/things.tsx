import { nameRulesOf } from '../base/env.ts';
import { asciiUpperCase } from '../base/text/ascii-case.ts';
import type { Sentence } from '../base/text/sentence.ts';
import { listRegistrarsEntries } from '../change/history/operator/search.ts';
import type { HistoryEntry } from '../change/history/search.ts';
import type { Contact } from '../contact/contact.ts';
import {
  type Disclosure,
  findGrantObstacle,
  findUnchanged,
  type GrantObstacle,
  getDisclosure,
} from '../contact/operator/disclosure/read.ts';
import { listContactsWith } from '../contact/operator/person.ts';
import { findNearNames } from '../name/domain/operator/near.ts';
import { getRegistrar, type Registrar } from '../party/registrar/account.ts';
import { listApiUsers } from '../party/registrar/operator/api-user.ts';
import { type Channel, channelRules, channels } from '../party/registrar/operator/channels.ts';
import { readWaiting } from '../party/webhook/operator/list.ts';
import { plain } from '../view/columns.ts';
import { disclosuresView, warningSentences, withAnswerBy } from '../view/disclosure.ts';
import { apiUsersView, type ListedApiUser } from '../view/holders.ts';
import { findNameFacts, intervalText } from '../view/name.ts';
import { registrarsView } from '../view/registrar.ts';
import { joinThings } from '../view/sentence.ts';
import { countText } from '../view/text.ts';
import { fieldWords, timeText, valueText } from '../view/words.ts';
import { Entries, entriesAbout, entriesAboutAny, looksAtEntries } from './history.tsx';
import {
  type DeskPage,
  factsIn,
  looksAt,
  mailHref,
  Part,
  Rows,
  Sentences,
  type ShowPage,
} from './page.tsx';

export const namePage: ShowPage = async ({ registry, key }) => {
  const facts = await findNameFacts(registry, key);
  const { name, understood, sentences, kept, isOnRecord } = facts;
  const near = isOnRecord ? [] : await findNearNames(registry.db, name, nameRulesOf(registry.env));
  const others = near.filter((other) => other !== name);
  return {
    shows: [{ subject: 'name', key: name }],
    title: name,
    answer: [...(understood ? [[`${understood}.`]] : []), ...sentences],
    kept,
    facts: [['formerly', facts.past.map(intervalText).join('; ')]],
    children: (
      <>
        <Entries entries={facts.entries} />
        {others.length > 0 && (
          <Part title="Names near it that are on record, or were">
            <Sentences all={others.map((other): Sentence => [{ kind: 'name', key: other }])} />
          </Part>
        )}
      </>
    ),
    next: [
      ['name', name],
      ...(facts.registered.length > 0 ? [['domain', 'update', '--help']] : []),
      ...(facts.retained.length > 0 ? [['retained', 'show', name]] : []),
      ...(facts.disputes.length > 0 ? [['dispute', 'show', name]] : []),
      ...(facts.auctions.length > 0 ? [['auction', 'show', name]] : []),
    ],
  };
};

const hrefs: Record<Channel, (text: string) => string> = {
  phone: (text) => `tel:${text}`,
  email: mailHref,
  website: (text) => text,
};

/** What a former registry had may be anything, so it becomes a link only if today's rule accepts it. */
function channelFacts(registrar: Registrar): NonNullable<DeskPage['facts']> {
  return channels.map((channel) => {
    const text = registrar[channel];
    const isFit = text !== null && channelRules[channel]().safeParse(text).success;
    const link = isFit && (
      <a href={hrefs[channel](text)} rel="noreferrer">
        {text}
      </a>
    );
    return [channel, link || text];
  });
}

const shownChanges = 20;
const registrarFacts = 'contact_count webhook_url webhook_failing_since created_at';

const usersView: typeof apiUsersView = {
  columns: { ...apiUsersView.columns, ...plain('isCertificateRequired') },
  name: apiUsersView.name,
  table: `${apiUsersView.table.replace('registrar ', '')} is_certificate_required`,
};

export const registrarPage: ShowPage = async ({ registry: { db, origin }, key }) => {
  const code = asciiUpperCase(key);
  const registrar = await getRegistrar(db, code);
  const users = await listApiUsers(db, origin.request.at, code);
  const [entries, changes, waiting] = await Promise.all([
    entriesAboutAny(db, [
      { subject: 'registrar', keys: [code] },
      { subject: 'api_user', keys: users.map(({ username }) => username) },
    ]),
    listRegistrarsEntries(db, code, shownChanges),
    readWaiting(db, registrar.id),
  ]);
  const { suspendedAt, phone, email, webhookUrl } = registrar;
  const answer = suspendedAt
    ? [suspensionSentence(suspendedAt, entries)]
    : loginSentences(registrar, users);
  const { attemptedAt, outcome } = waiting;
  const attempt = attemptedAt && `${outcome ?? 'under way'}, ${timeText(attemptedAt)}`;
  return {
    shows: [{ subject: 'registrar', key: code }, ...looksAtEntries(changes)],
    title: [{ text: registrar.name }, ` (${code})`],
    ...((suspendedAt || !users.some(canLogIn)) && { tone: 'alarm' }),
    answer: [
      ...answer,
      ...(phone || email ? [] : [['Neither its phone nor its e-mail address is recorded.']]),
    ],
    facts: [
      ...channelFacts(registrar),
      ...factsIn(registrarsView, registrar, registrarFacts),
      ['deliveries_waiting', webhookUrl === null ? null : waiting.count],
      ['last_attempt_at_them', attempt],
    ],
    children: (
      <>
        <Part title="Who logs in for it">
          <Rows view={usersView} rows={users} />
        </Part>
        <Entries
          entries={changes}
          title="What its users and systems changed"
          none="No change of a contact or a domain by them is on record."
        />
        <p class="quiet">{refusedCalls}</p>
        <Entries entries={entries} />
      </>
    ),
    next: [
      suspendedAt ? ['registrar', 'resume', code] : ['registrar', 'suspend', '--help'],
      ['registrar', 'diagnose', '--help'],
      ['registrar', 'webhook', 'list', code],
      ['contact', 'list', '--registrar', code],
      ['domain', 'list', '--registrar', code],
    ],
  };
};

const refusedCalls =
  'Calls that were refused are not on record. Ask its programmer for the time of the call and the X-Request-Id of the answer: by these, the operator can search the log.';

const canLogIn = ({ disabledAt, lacksCertificate }: ListedApiUser) =>
  disabledAt === null && !lacksCertificate;

function suspensionSentence(suspendedAt: string, entries: readonly HistoryEntry[]): Sentence {
  const isStart = ({ changes: { suspendedAt: change } }: HistoryEntry) =>
    change !== undefined && 'to' in change && change.to === suspendedAt;
  const { to: reason } = { to: undefined, ...entries.find(isStart)?.changes.reason };
  const why = reason === undefined ? '' : `: ${reason}`;
  return [`Suspended since ${timeText(suspendedAt)}${why}. Nobody can log in for it.`];
}

/** As wide as what `withLogin` asks besides the secret. */
function loginSentences({ allowedIps }: Registrar, users: readonly ListedApiUser[]): Sentence[] {
  const able = users.filter(canLogIn);
  const from = valueText(allowedIps.length > 0 ? allowedIps : 'every address');
  const bound = able.filter(({ isCertificateRequired }) => isCertificateRequired).length;
  const how = bound > 0 ? `; ${bound} of them with a client certificate` : '';
  const lacking = users.filter(({ disabledAt, ...user }) => !disabledAt && user.lacksCertificate);
  const named = lacking.map(({ username }) => username).join(', ');
  return [
    able.length > 0
      ? [`${countText(able.length, 'API user')} can log in for it, from ${from}${how}.`]
      : ['No API user can log in for it.'],
    ...(lacking.length > 0
      ? [[`Logins as ${named} need a client certificate, and no valid one is bound.`]]
      : []),
  ];
}

const disclosureFacts =
  'granted_fields explanation basis identified_by received_at visible_after is_confidential';

export const disclosurePage: ShowPage = async ({ registry, key }) => {
  const id = Number(key) || 0;
  const found = await getDisclosure(registry.db, id);
  const shown = withAnswerBy(registry.env)(found.disclosure);
  const { outcome, answeredAt, answerBy, requestedFields } = shown;
  const isOpen = outcome === null;
  const obstacle = isOpen ? findGrantObstacle(found) : undefined;
  const granted = grantedFields(requestedFields, obstacle);
  const fields = obstacle ? ['--fields', granted.join(',')] : [];
  const others = obstacle?.kind === 'gone' ? await listContactsWith(registry.db, shown) : [];
  const isSame = (await findUnchanged(registry.db, [shown])).has(id);
  const due = `Not answered yet: to be answered by ${timeText(answerBy)}.`;
  return {
    shows: [
      { subject: 'disclosure', key: String(id) },
      ...looksAt([...(shown.contactUuid ? [{ uuid: shown.contactUuid }] : []), ...others]),
    ],
    title: `Disclosure ${key}`,
    answer: [
      disclosureSentence(shown, isSame),
      [isOpen ? due : `It was ${outcome} on ${timeText(answeredAt!)}.`],
      ...(obstacle ? [obstacleSentence(obstacle, granted, others)] : []),
    ],
    kept: warningSentences([shown]),
    facts: factsIn(disclosuresView, shown, disclosureFacts),
    children: <Entries entries={await entriesAbout(registry.db, 'disclosure', key)} />,
    next: [
      ...(isOpen && granted.length > 0
        ? [['disclosure', 'grant', key, ...fields, '--to', `disclosure-${key}.json`]]
        : []),
      ...(isOpen ? ['refuse', 'return'].map((word) => ['disclosure', word, '--help']) : []),
      ['disclosure', 'show', key],
    ],
  };
};

function grantedFields(requested: readonly string[], obstacle?: GrantObstacle) {
  if (!obstacle) return requested;
  if (obstacle.kind !== 'without_values') return [];
  return requested.filter((field) => !obstacle.fields.includes(field));
}

/** The others are the contacts with the identity of the request. */
function obstacleSentence(
  obstacle: GrantObstacle,
  granted: readonly string[],
  others: readonly Contact[],
): Sentence {
  if (obstacle.kind === 'gone') {
    const things = others.map(({ code: key, uuid }) => ({ kind: 'contact', key, uuid }) as const);
    if (things.length === 0) return ['Refuse it: the contact is no longer there.'];
    const same = '. Others have the identity code of the request: ';
    return ['Refuse it: the contact is no longer there', same, ...joinThings(things), '.'];
  }
  if (obstacle.kind === 'former_person') {
    return ['Refuse it: the contact has another identity than the one that was asked for.'];
  }
  const fields = obstacle.fields.map(fieldWords).join(', ');
  const advice = granted.length > 0 ? 'grant the other fields' : 'refuse it';
  return [`Nothing is recorded as ${fields}: ${advice}.`];
}

/** Names the person only if the contact certainly has the person who was asked for. */
export function disclosureSentence(request: Disclosure, isSamePerson: boolean): Sentence {
  const { requester, organization, requestedFields, contactCode: key, contactUuid: uuid } = request;
  const named = isSamePerson ? {} : ({ named: 'never' } as const);
  const fields = requestedFields.map(fieldWords).join(', ');
  const whose =
    key === null ? 'somebody who was erased' : ({ kind: 'contact', key, uuid, ...named } as const);
  const asks = request.outcome === null ? 'asks' : 'asked';
  return [`${requester} (${organization}) ${asks} for ${fields} of `, whose, '.'];
}
