/** The reference: Swagger UI on this registry's own document, in the dress of the page. */

/** Swagger UI takes each character of a name or secret for a byte, so these are the bytes of UTF-8 (RFC 7617, section 2.1). */
function bytesOf(text = '') {
  return String.fromCharCode(...new TextEncoder().encode(text));
}

/** Wraps the action that sends a call. */
const withLoginInUtf8 = (send) => (call) => {
  const authorized = { ...call.securities?.authorized };
  for (const [scheme, login] of Object.entries(authorized)) {
    if (login.schema.scheme !== 'basic') continue;
    const { username, password } = login.value;
    const value = { username: bytesOf(username), password: bytesOf(password) };
    authorized[scheme] = { ...login, value };
  }
  return send({ ...call, securities: { ...call.securities, authorized } });
};

/** The plugin that changes what Swagger UI shows. */
function dress({ React }) {
  const h = React.createElement;

  /** Title, login, calls and schemas. The document around it has the header and the landmarks. */
  function Reference({ getComponent, specSelectors }) {
    const status = specSelectors.loadingStatus();
    if (status === 'failed') {
      return h('p', { role: 'alert' }, '/openapi.json could not be loaded.');
    }
    if (status !== 'success') return h('p', { role: 'status' }, 'Loading…');
    const component = (name) => h(getComponent(name, true));
    const { version, description } = specSelectors.info().toJS();
    const hasCalls = specSelectors.taggedOperations().size > 0;
    return h(
      'div',
      { className: 'swagger-ui' },
      h('h1', null, 'API reference'),
      h('p', { className: 'quiet' }, `Version ${version}`),
      h(getComponent('Markdown', true), { source: description }),
      component('errors'),
      ...(hasCalls
        ? [
            h('h2', { className: 'unseen' }, 'Login'),
            component('AuthorizeBtnContainer'),
            h('h2', { className: 'unseen' }, 'Calls'),
            component('operations'),
            component('Webhooks'),
            component('Models'),
          ]
        : []),
    );
  }

  return {
    components: {
      Reference,
      // A link inside the button that opens a call could not be reached. Opening one changes the address.
      DeepLink: ({ text }) => h('span', null, text),
      // It appears on hover only.
      CopyToClipboardBtn: () => null,
    },
    wrapComponents: {
      // Most answers have the same ones.
      headers: (Headers) => (properties) =>
        h('details', null, h('summary', null, 'Headers'), h(Headers, properties)),
    },
    statePlugins: { spec: { wrapActions: { executeRequest: withLoginInUtf8 } } },
    // Classes, whose colours are in the style sheet, instead of inline styles.
    rootInjects: { syntaxHighlighting: { styles: { classes: { hljs: {} } } } },
  };
}

const root = document.querySelector('#main');

/** The call that the address names, until it is shown. */
let wanted;

/** The name of a field that Swagger UI leaves without one: that of the parameter or property whose value it holds. */
function nameOf(field) {
  if (field.matches('.examples-select-element')) return 'Example';
  if (field.matches('.body-param__text')) return 'Request body';
  const row = field.closest('tr');
  return row?.dataset.paramName ?? row?.dataset.propertyName ?? 'Value';
}

/** Gives names to what has none, and lets the keyboard reach what scrolls. */
function makeAccessible() {
  for (const field of root.querySelectorAll('select, input, textarea')) {
    if (field.labels.length === 0 && !field.ariaLabel) field.ariaLabel = nameOf(field);
  }
  for (const button of root.querySelectorAll('button')) {
    const text = button.textContent.trim();
    if (button.matches('.close-modal')) button.ariaLabel = 'Close';
    else if (button.matches('.json-schema-2020-12-accordion') && text === '')
      button.ariaLabel = 'Schema';
    else if (text !== '' && button.ariaLabel && !button.ariaLabel.includes(text))
      button.ariaLabel = null;
  }
  for (const block of root.querySelectorAll('pre')) {
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = block;
    block.tabIndex = scrollWidth > clientWidth || scrollHeight > clientHeight ? 0 : -1;
  }
  // Each would be a landmark without a name.
  for (const table of root.querySelectorAll('table[role]')) table.role = null;
  // It comes after headings of the second level.
  const schemas = root.querySelector('.models > h4');
  if (schemas) schemas.ariaLevel = '2';
  const call = wanted && root.querySelector(`.opblock.is-open[id$="-${wanted}"]`);
  if (call) {
    wanted = undefined;
    call.scrollIntoView();
    call.querySelector('.opblock-summary-control').focus({ preventScroll: true });
  }
  const dialog = root.querySelector('.modal-ux:not([role])');
  if (!dialog) return;
  dialog.role = 'dialog';
  dialog.ariaLabel = 'Login';
  dialog.querySelector('input')?.focus();
}

let isWaiting = false;

/** Once for all changes before the next picture. */
function makeAccessibleSoon() {
  if (isWaiting) return;
  isWaiting = true;
  requestAnimationFrame(() => {
    isWaiting = false;
    makeAccessible();
  });
}

new MutationObserver(makeAccessibleSoon).observe(root, { childList: true, subtree: true });
addEventListener('resize', makeAccessibleSoon);
addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') root.querySelector('.close-modal')?.click();
});

const ui = SwaggerUIBundle({
  url: root.dataset.document,
  domNode: root,
  layout: 'Reference',
  plugins: [dress],
  deepLinking: true,
  displayRequestDuration: true,
  // Otherwise the browser asks for a login itself when one is refused, and the answer is not shown.
  requestInterceptor: (request) => Object.assign(request, { credentials: 'omit' }),
  defaultModelsExpandDepth: 0,
  syntaxHighlight: { theme: 'classes' },
  // Otherwise a badge asks another host about the document.
  validatorUrl: null,
});

/** Opens the call that the address names, on the page of its interface. */
function follow() {
  const hash = decodeURIComponent(location.hash);
  const [, tag, id] = hash.split('/');
  const links = document.querySelectorAll('#index > ul > li > a');
  const page = [...links].find(({ textContent }) => textContent === tag);
  if (!page) return;
  if (page.pathname !== location.pathname) {
    location.replace(page.pathname + location.hash);
    return;
  }
  wanted = id;
  ui.layoutActions.parseDeepLinkHash(hash);
  makeAccessibleSoon();
}

addEventListener('hashchange', follow);
follow();
