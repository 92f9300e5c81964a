import { html } from 'hono/html';
import type { DomainName } from '../../domain/name.ts';
import { publicLists, retainedList } from '../../public-list/lists.ts';
import type { ListedName } from '../../public-list/read/names.ts';
import type { Answer } from './content.ts';
import { renderField } from './field.ts';
import type { Html, Surroundings } from './layout.ts';
import type { Texts } from './texts.ts';
import { hrefOf } from './view.ts';

/** What a name can be, the strictest first. */
type State = keyof Texts['statuses'];
const states: State[] = ['blocked', 'disputed', 'auction', 'reserved'];

function statesOf({ statuses, isInAuction }: ListedName): State[] {
  const all: State[] = [...statuses, ...(isInAuction ? (['auction'] as const) : [])];
  return states.filter((state) => all.includes(state));
}

/** The states in words. */
function inWords(states: readonly State[], text: Texts): string {
  return states.length > 0 ? text.list(states.map((state) => text.statuses[state])) : text.free;
}

/** The title of the document, which says the answer. */
export function titleOf(answer: Answer | undefined, text: Texts): string {
  if (!answer) return `${text.heading} · ${text.siteName}`;
  if (!answer.isName) return `${text.error}: ${text.heading} · ${text.siteName}`;
  const { domain, listed } = answer;
  const said = listed ? ` ${text.isNow(inWords(statesOf(listed), text))}` : '';
  return `${domain.name}${said} · ${text.siteName}`;
}

/** The field for one name, and the answer about it. */
export function renderNameSection({ language, text, view }: Surroundings, answer?: Answer): Html {
  const isWrong = answer?.isName === false;
  const described = isWrong ? 'name-error name-hint' : 'name-hint';
  const field = renderField({
    id: 'name',
    name: 'name',
    value: view.name,
    button: text.check,
    more: html` required inputmode="url" aria-describedby="${described}"${isWrong && html` aria-invalid="true"`}`,
  });
  return html`<section class="ask" aria-labelledby="ask-heading">
<h1 id="ask-heading">${text.heading}</h1>
<p class="lead">${text.lead}</p>
<form action="${hrefOf(language, {})}" role="search">
<label for="name">${text.nameLabel}</label>
${field}
${isWrong && html`<p class="error" id="name-error"><bdi>${text.wrongName(view.name)}</bdi></p>`}
<p class="hint" id="name-hint">${text.nameHint}</p>
</form>
</section>
${answer?.isName && renderAnswer(text, answer.domain, answer.listed)}`;
}

function renderAnswer(text: Texts, { name, punycode }: DomainName, listed?: ListedName): Html {
  if (!listed) {
    return html`<section class="answer" aria-labelledby="answer"><h2 id="answer"><bdi>${name}</bdi></h2><p>${text.noAnswer}</p></section>`;
  }
  const found = statesOf(listed);
  const json = `${publicLists[retainedList].path}/${encodeURIComponent(name)}`;
  return html`<section class="answer" aria-labelledby="answer">
<h2 id="answer"><bdi>${name}</bdi> <span class="said">${text.isNow(inWords(found, text))}</span></h2>
${punycode !== name && html`<p class="code">${punycode}</p>`}
${found.length > 1 ? renderMeanings(found, text) : html`<p>${text.meanings[found[0] ?? 'free']}</p>`}
<p class="quiet"><a href="${json}">${text.asJson}</a></p>
</section>`;
}

function renderMeanings(found: readonly State[], text: Texts): Html {
  return html`<p>${text.several}</p>
<dl>${found.map((state) => html`<div><dt>${text.statuses[state]}</dt><dd>${text.meanings[state]}</dd></div>`)}</dl>`;
}
