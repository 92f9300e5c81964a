import { type NameStatus, publicLists, retainedList } from '../../../list/lists.ts';
import { type NameInterval, statusesAt } from '../../../list/name-history/name-history.ts';
import type { ListedName } from '../../../list/read/look-up.ts';
import type { Answer, Content } from './content.ts';
import type { Surroundings } from './layout.tsx';
import { Field } from './section.tsx';
import type { Texts } from './texts.ts';
import { hrefOf } from './view.ts';

type NameAnswered = Extract<Answer, { isName: true }>;

function verdictText({ listed, outside }: NameAnswered, text: Texts): string | undefined {
  if (!listed) return undefined;
  const states = statesOf(listed);
  if (states.length > 0) return text.isNow(text.list(states.map((state) => text.states[state])));
  if (!outside) return text.isUnlisted;
  return 'above' in outside ? text.isBelow(outside.above) : text.isForeign;
}

export function titleOf({ answer, text }: Pick<Content, 'answer'> & { text: Texts }): string {
  if (!answer) return `${text.heading} · ${text.siteName}`;
  if (!answer.isName) return `${text.error}: ${text.heading} · ${text.siteName}`;
  const words = [answer.domain.name, verdictText(answer, text)].filter(Boolean);
  return `${words.join(' ')} · ${text.siteName}`;
}

export function NameSection(page: Surroundings & Pick<Content, 'answer' | 'asOf'>) {
  const { language, text, view, answer } = page;
  const wrong = answer?.isName === false ? answer : undefined;
  return (
    <>
      <section class="ask" aria-labelledby="ask-heading">
        <h1 id="ask-heading">{text.heading}</h1>
        <p class="lead">{text.lead}</p>
        <form action={hrefOf(language, {})} role="search">
          <label for="name">{text.nameLabel}</label>
          <Field
            id="name"
            name="name"
            value={view.name}
            button={text.check}
            required
            inputmode="url"
            aria-describedby={wrong ? 'name-error name-hint' : 'name-hint'}
            aria-invalid={wrong ? 'true' : undefined}
          />
          {wrong && (
            <p class="error" id="name-error">
              <bdi>{text.wrongName(view.name, text.nameFaults[wrong.fault])}</bdi>
              {wrong.meant && (
                <>
                  {' '}
                  <a href={hrefOf(language, { name: wrong.meant.name })}>
                    {text.didYouMean(wrong.meant.name)}
                  </a>
                </>
              )}
            </p>
          )}
          <p class="hint" id="name-hint">
            {text.nameHint}
          </p>
        </form>
      </section>
      {answer?.isName && <NameAnswer {...page} {...answer} />}
    </>
  );
}

type AnswerParts = Surroundings & Pick<Content, 'asOf'> & NameAnswered;

function NameAnswer(parts: AnswerParts) {
  const { text, listed, isTaken, view } = parts;
  const { name, punycode } = parts.domain;
  const json = `${publicLists[retainedList].path}/${encodeURIComponent(name)}`;
  return (
    <section class="answer" aria-labelledby="answer">
      <h2 id="answer">
        <bdi>{name}</bdi>{' '}
        {listed && (
          <span class={`said ${statesOf(listed)[0] ?? 'unlisted'}`}>
            {verdictText(parts, text)}
          </span>
        )}
      </h2>
      {isTaken && (
        <p class="quiet">
          <bdi>{text.takenFrom(view.name)}</bdi>
        </p>
      )}
      {listed ? (
        <>
          {punycode !== name && <p class="code">{punycode}</p>}
          <Meaning {...parts} states={statesOf(listed)} />
          <p class="quiet">
            <a href={json}>{text.asJson}</a>
          </p>
        </>
      ) : (
        <p>{text.noAnswer}</p>
      )}
      <History {...parts} json={`${json}/history`} />
    </section>
  );
}

function History(parts: AnswerParts & { json: string }) {
  const { language, text, domain, history, asOf, json } = parts;
  /** Empty if none was asked about. */
  const day = parts.view.as_of;
  const { yesterday, isNotPast } = asOf;
  return (
    <>
      <h3>{text.history}</h3>
      <form action={hrefOf(language, {})}>
        <input type="hidden" name="name" value={domain.name} />
        <label for="as_of">{text.asOf}</label>
        <div class="field">
          <input
            type="date"
            id="as_of"
            name="as_of"
            value={day}
            max={yesterday}
            required
            aria-describedby={isNotPast ? 'day-error' : undefined}
            aria-invalid={isNotPast ? 'true' : undefined}
          />
          <button type="submit">{text.show}</button>
        </div>
        {isNotPast && (
          <p class="error" id="day-error">
            {text.wrongDay}
          </p>
        )}
      </form>
      {day && !isNotPast && history && <p>{wasOn(day, history, text)}</p>}
      {history ? <Timeline text={text} history={history} /> : <p class="missing">{text.notNow}</p>}
      <p class="quiet">
        <a href={json}>{text.historyAsJson}</a>
      </p>
    </>
  );
}

function wasOn(day: string, intervals: readonly NameInterval[], text: Texts): string {
  const end = new Date(`${day}T23:59:59.999Z`);
  const { known, possible } = statusesAt(intervals, end);
  const wordsOf = (states: NameStatus[]) =>
    text.list(inOrder(states).map((state) => text.states[state]));
  const date = text.shortDate(day);
  const sentences = [
    known.length > 0 && text.wasOn(date, wordsOf(known)),
    possible.length > 0 && text.mayHaveBeenOn(date, wordsOf(possible)),
  ].filter(Boolean);
  return sentences.length > 0 ? sentences.join(' ') : text.wasUnlistedOn(date);
}

const timelineLength = 10;

function Timeline({ text, history }: { text: Texts; history: readonly NameInterval[] }) {
  if (history.length === 0) return <p>{text.noHistory}</p>;
  return (
    <ol class="timeline">
      {history.slice(-timelineLength).map(({ status, from, until }) => (
        <li class={until === null ? 'lasts' : undefined}>
          <strong>{text.states[status]}</strong>{' '}
          {from === null ? (
            text.until
          ) : (
            <>
              <Day text={text} instant={from} day={from} /> –
            </>
          )}{' '}
          {until === null ? (
            text.now
          ) : (
            <Day text={text} instant={until} day={momentBefore(until)} />
          )}
        </li>
      ))}
    </ol>
  );
}

/** `until` is the first moment without the status; people count the day of the last moment with it. */
function momentBefore(instant: string): string {
  return new Date(Date.parse(instant) - 1).toISOString();
}

function Day({ text, instant, day }: { text: Texts; instant: string; day: string }) {
  return <time datetime={instant}>{text.shortDate(day.slice(0, 10))}</time>;
}

function Meaning({ language, text, outside, states }: AnswerParts & { states: NameStatus[] }) {
  if (states.length > 0) return states.map((state) => <p>{text.meanings[state]}</p>);
  if (!outside) return <p>{text.unlisted}</p>;
  if ('zones' in outside) return <p>{text.foreign(outside.zones.map((zone) => `.${zone}`))}</p>;
  return (
    <>
      <p>{text.below}</p>
      <p>
        <a href={hrefOf(language, { name: outside.above })}>{text.checkInstead(outside.above)}</a>
      </p>
    </>
  );
}

const strictestFirst = {
  blocked: true,
  disputed: true,
  auction: true,
  reserved: true,
} satisfies Record<NameStatus, true>;

function statesOf({ statuses, isInAuction }: ListedName): NameStatus[] {
  return inOrder(isInAuction ? [...statuses, 'auction'] : statuses);
}

function inOrder(states: readonly NameStatus[]): NameStatus[] {
  return (Object.keys(strictestFirst) as NameStatus[]).filter((state) => states.includes(state));
}
