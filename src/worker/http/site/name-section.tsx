import { type NameStatus, publicLists, retainedList } from '../../../list/lists.ts';
import { type NameInterval, statusesAt } from '../../../list/name-history/name-history.ts';
import type { ListedName } from '../../../list/read/look-up.ts';
import type { Answer, Content } from './content.ts';
import type { Summary, Surroundings } from './layout.tsx';
import { Field } from './section.tsx';
import type { Texts } from './texts.ts';
import { hrefOf } from './view.ts';

type NameAnswered = Extract<Answer, { isName: true }>;

function verdictText({ listed, outside }: NameAnswered, text: Texts): string | undefined {
  if (!listed) return undefined;
  const states = statesOf(listed);
  if (states.length > 0) return text.isNow(text.list(states.map((state) => text.states[state])));
  if (!outside) return text.isUnlisted;
  if ('isZone' in outside) return text.isZone;
  return 'above' in outside ? text.isBelow(outside.above) : text.isForeign;
}

interface LinkedText {
  /** Words in square brackets become a link, if the registry has set the place. */
  sentence: string;
  place?: Exclude<keyof Places, 'lookUp'>;
}

function sentencesOf({ listed, outside }: NameAnswered, text: Texts): LinkedText[] {
  if (!listed) return [{ sentence: text.noAnswer }];
  const states = statesOf(listed);
  if (states.length > 0) {
    return states.map((state) => ({ sentence: text.meanings[state], ...placesOfStates[state] }));
  }
  if (!outside) return [{ sentence: text.unlisted, place: 'registrars' }];
  if ('isZone' in outside) return [{ sentence: text.zone }];
  if ('above' in outside) return [{ sentence: text.below }];
  return [{ sentence: text.foreign(outside.zones.map((zone) => `.${zone}`)) }];
}

export function pageSummary({ answer, text }: Pick<Content, 'answer'> & { text: Texts }): Summary {
  if (!answer) return { title: text.heading, description: text.description };
  if (!answer.isName) {
    return { title: `${text.error}: ${text.heading}`, description: text.description };
  }
  const title = [answer.domain.name, verdictText(answer, text)].filter(Boolean).join(' ');
  const sentences = sentencesOf(answer, text).map(({ sentence }) => sentence);
  return { title, description: sentences.join(' ').replace(/[[\]]/g, '') };
}

/** Where somebody gets a name, learns who has it, or asks about a dispute; undefined if the registry has not set it. */
export interface Places {
  auctionCentre: string | undefined;
  disputes: string | undefined;
  registrars: string | undefined;
  lookUp: ((punycode: string) => string) | undefined;
}
type Around = Surroundings & Pick<Content, 'asOf'> & { places: Places };

export function NameSection(page: Around & Pick<Content, 'answer'>) {
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

type AnswerParts = Around & NameAnswered;

function NameAnswer(parts: AnswerParts) {
  const { language, text, listed, outside, isTaken, places, view } = parts;
  const { name, punycode } = parts.domain;
  const state = listed && statesOf(listed)[0];
  // Also while its history cannot be read.
  const wasListed = parts.history?.length !== 0;
  const json = `${publicLists[retainedList].path}/${encodeURIComponent(name)}`;
  return (
    <section class={`answer ${state ?? 'unlisted'}`} aria-labelledby="answer">
      <h2 id="answer">
        <bdi>{name}</bdi> <span class="said">{verdictText(parts, text)}</span>
      </h2>
      {isTaken && (
        <p class="quiet">
          <bdi>{text.takenFrom(view.name)}</bdi>
        </p>
      )}
      {punycode !== name && <p class="code">{punycode}</p>}
      {sentencesOf(parts, text).map(({ sentence, place }) => (
        <Sentence text={sentence} href={place && places[place]} />
      ))}
      {listed && !state && outside && 'above' in outside && (
        <p>
          <a href={hrefOf(language, { name: outside.above })}>{text.checkInstead(outside.above)}</a>
        </p>
      )}
      {!outside && places.lookUp && (
        <p>
          <a href={places.lookUp(punycode)}>{text.lookUp}</a>
        </p>
      )}
      {(wasListed || view.as_of) && <History {...parts} />}
      <p class="quiet">
        {listed && <a href={json}>{text.asJson}</a>}
        {listed && wasListed && ' · '}
        {wasListed && <a href={`${json}/history`}>{text.historyAsJson}</a>}
      </p>
    </section>
  );
}

function Sentence({ text, href }: { text: string; href: string | undefined }) {
  const [before, words, after] = text.split(/[[\]]/);
  return (
    <p>
      {before}
      {words && href ? <a href={href}>{words}</a> : words}
      {after}
    </p>
  );
}

function History(parts: AnswerParts) {
  const { language, text, domain, history, asOf } = parts;
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
      {!history && <p class="missing">{text.notNow}</p>}
      {history && history.length > 0 && <Timeline text={text} history={history} />}
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
  // A status that lasts is shown, however long ago it began.
  const shown = history.filter(
    ({ until }, index) => until === null || index >= history.length - timelineLength,
  );
  return (
    <ol class="timeline">
      {shown.map(({ status, from, until }) => (
        <li class={until === null ? 'lasts' : undefined}>
          <strong>{text.states[status]}</strong> <Days text={text} from={from} until={until} />
        </li>
      ))}
    </ol>
  );
}

/** Without the end that a reservation or dispute may have: only the registry knows it. */
function Days({ text, from, until }: { text: Texts } & Omit<NameInterval, 'status'>) {
  const first = from !== null && <Day text={text} instant={from} day={from} />;
  const last = until !== null && <Day text={text} instant={until} day={momentBefore(until)} />;
  if (first && last) {
    return (
      <>
        {first} – {last}
      </>
    );
  }
  return (
    <>
      {first ? text.since : text.until} {first || last}
    </>
  );
}

/** `until` is the first moment without the status; people count the day of the last moment with it. */
function momentBefore(instant: string): string {
  return new Date(Date.parse(instant) - 1).toISOString();
}

function Day({ text, instant, day }: { text: Texts; instant: string; day: string }) {
  return <time datetime={instant}>{text.shortDate(day.slice(0, 10))}</time>;
}

const strictestFirst = {
  blocked: true,
  disputed: true,
  auction: true,
  reserved: true,
} satisfies Record<NameStatus, true>;

const placesOfStates = {
  blocked: {},
  disputed: { place: 'disputes' },
  auction: { place: 'auctionCentre' },
  reserved: {},
} satisfies Record<NameStatus, Omit<LinkedText, 'sentence'>>;

function statesOf({ statuses, isInAuction }: ListedName): NameStatus[] {
  return inOrder(isInAuction ? [...statuses, 'auction'] : statuses);
}

function inOrder(states: readonly NameStatus[]): NameStatus[] {
  return (Object.keys(strictestFirst) as NameStatus[]).filter((state) => states.includes(state));
}
