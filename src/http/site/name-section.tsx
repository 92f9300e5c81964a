import { publicLists, retainedList } from '../../public-list/lists.ts';
import type { Answer, Content } from './content.ts';
import { Field } from './field.tsx';
import type { Surroundings } from './layout.tsx';
import { type State, statesOf } from './state.ts';
import type { Texts } from './texts.ts';
import { hrefOf } from './view.ts';

type NameAnswered = Extract<Answer, { isName: true }>;

/** What is said of the name; undefined while the lists cannot be read. */
function said({ listed, outside }: NameAnswered, text: Texts): string | undefined {
  if (!listed) return undefined;
  const states = statesOf(listed);
  if (states.length > 0) return text.isNow(text.list(states.map((state) => text.states[state])));
  if (!outside) return text.isUnlisted;
  return 'above' in outside ? text.isBelow(outside.above) : text.isForeign;
}

/** The title of the document, which says the answer. */
export function titleOf({ answer, text }: Pick<Content, 'answer'> & { text: Texts }): string {
  if (!answer) return `${text.heading} · ${text.siteName}`;
  if (!answer.isName) return `${text.error}: ${text.heading} · ${text.siteName}`;
  const words = [answer.domain.name, said(answer, text)].filter(Boolean);
  return `${words.join(' ')} · ${text.siteName}`;
}

/** The field for one name, and the answer about it. */
export function NameSection({
  language,
  text,
  view,
  answer,
}: Surroundings & Pick<Content, 'answer'>) {
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
            </p>
          )}
          <p class="hint" id="name-hint">
            {text.nameHint}
          </p>
        </form>
      </section>
      {answer?.isName && <NameAnswer language={language} text={text} {...answer} />}
    </>
  );
}

type AnswerParts = NameAnswered & Pick<Surroundings, 'language' | 'text'>;

function NameAnswer(parts: AnswerParts) {
  const { text, listed } = parts;
  const { name, punycode } = parts.domain;
  const json = `${publicLists[retainedList].path}/${encodeURIComponent(name)}`;
  return (
    <section class="answer" aria-labelledby="answer">
      <h2 id="answer">
        <bdi>{name}</bdi> {listed && <span class="said">{said(parts, text)}</span>}
      </h2>
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
    </section>
  );
}

function Meaning({ language, text, outside, states }: AnswerParts & { states: State[] }) {
  const [state, ...others] = states;
  if (others.length > 0) {
    return (
      <>
        <p>{text.several}</p>
        <dl>
          {states.map((state) => (
            <div>
              <dt>{text.states[state]}</dt>
              <dd>{text.meanings[state]}</dd>
            </div>
          ))}
        </dl>
      </>
    );
  }
  if (state) return <p>{text.meanings[state]}</p>;
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
