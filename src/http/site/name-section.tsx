import { publicLists, retainedList } from '../../public-list/lists.ts';
import type { Answer, Content } from './content.ts';
import { Field } from './field.tsx';
import type { Surroundings } from './layout.tsx';
import { type State, statesOf } from './state.ts';
import type { Texts } from './texts.ts';
import { hrefOf } from './view.ts';

/** The states in words. */
function inWords(states: readonly State[], text: Texts): string {
  return states.length > 0 ? text.list(states.map((state) => text.states[state])) : text.free;
}

/** The title of the document, which says the answer. */
export function titleOf({ answer, text }: Pick<Content, 'answer'> & { text: Texts }): string {
  if (!answer) return `${text.heading} · ${text.siteName}`;
  if (!answer.isName) return `${text.error}: ${text.heading} · ${text.siteName}`;
  const { domain, listed } = answer;
  const said = listed ? ` ${text.isNow(inWords(statesOf(listed), text))}` : '';
  return `${domain.name}${said} · ${text.siteName}`;
}

/** The field for one name, and the answer about it. */
export function NameSection({
  language,
  text,
  view,
  answer,
}: Surroundings & Pick<Content, 'answer'>) {
  const isWrong = answer?.isName === false;
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
            aria-describedby={isWrong ? 'name-error name-hint' : 'name-hint'}
            aria-invalid={isWrong ? 'true' : undefined}
          />
          {isWrong && (
            <p class="error" id="name-error">
              <bdi>{text.wrongName(view.name)}</bdi>
            </p>
          )}
          <p class="hint" id="name-hint">
            {text.nameHint}
          </p>
        </form>
      </section>
      {answer?.isName && <NameAnswer text={text} {...answer} />}
    </>
  );
}

function NameAnswer({
  text,
  domain: { name, punycode },
  listed,
}: Extract<Answer, { isName: true }> & { text: Texts }) {
  if (!listed) {
    return (
      <section class="answer" aria-labelledby="answer">
        <h2 id="answer">
          <bdi>{name}</bdi>
        </h2>
        <p>{text.noAnswer}</p>
      </section>
    );
  }
  const states = statesOf(listed);
  const json = `${publicLists[retainedList].path}/${encodeURIComponent(name)}`;
  return (
    <section class="answer" aria-labelledby="answer">
      <h2 id="answer">
        <bdi>{name}</bdi> <span class="said">{text.isNow(inWords(states, text))}</span>
      </h2>
      {punycode !== name && <p class="code">{punycode}</p>}
      {states.length > 1 ? (
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
      ) : (
        <p>{text.meanings[states[0] ?? 'free']}</p>
      )}
      <p class="quiet">
        <a href={json}>{text.asJson}</a>
      </p>
    </section>
  );
}
