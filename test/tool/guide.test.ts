import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { changes, guide, prosePage } from '../../src/tool/guide.ts';
import { eppCodes } from '../../src/worker/http/internal/interface.openapi.ts';
import {
  introductionFor,
  localAccess,
  securitySchemes,
  serversFor,
} from '../../src/worker/http/openapi/introduction.ts';
import { answers } from '../../src/worker/http/registrar/answer.ts';

const main = '<main><!-- prose --></main>';
const changelog = readFileSync('CHANGELOG.md', 'utf8');
const interfaces = readFileSync('src/worker/http/README.md', 'utf8');

const links =
  '[file](../README.md#a), [`one`](x.ts), [part](#part), [docs](http://localhost:8787/docs/), <https://a.ee/>';

it('the guide makes text of a link to a file, unless the source has an address', () => {
  const page = (SOURCE_URL: string) =>
    prosePage(main, guide(`# A *part*: one\n\n${links}`), { SOURCE_URL });
  const rest =
    '<a href="#part">part</a>, <a href="/docs/">docs</a>, <a href="https://a.ee/">https://a.ee/</a></p>\n</main>';
  const heading = '<main><h1 id="a-part-one">A <em>part</em>: one</h1>\n<p>';

  expect(page('')).toBe(`${heading}file, <code>one</code>, ${rest}`);
  for (const address of ['https://source.ee/tree/main', 'https://source.ee/tree/main/']) {
    const file = 'https://source.ee/tree/main/src/worker';
    expect(page(address)).toBe(
      `${heading}<a href="${file}/README.md#a">file</a>, <a href="${file}/http/x.ts"><code>one</code></a>, ${rest}`,
    );
  }
});

it('the guide names whom to ask for access, if the registry does', () => {
  const page = (SUPPORT_URL: string) => prosePage(main, guide(interfaces), { SUPPORT_URL });

  expect(page('help@example.ee')).toContain(
    ' (<a href="mailto:help@example.ee">help@example.ee</a>)',
  );
  expect(page('https://example.ee/help?a=1&b=2')).toContain(
    ' (<a href="https://example.ee/help?a=1&amp;b=2">https://example.ee/help?a=1&amp;b=2</a>)',
  );
  expect(page('')).not.toMatch(/mailto:|support -->/);
});

it('the guide says nothing of a machine that its readers lack, outside of the lines that say so', () => {
  const paragraphs = interfaces
    .split('\n\n')
    .filter((each) => !each.includes('On your own machine'));
  expect(paragraphs.filter((each) => /npm (start|run)|demo|sandbox/i.test(each))).toEqual([]);
});

/** The cells of a table of the guide, by row, under a heading. */
const tableUnder = (heading: string) =>
  interfaces
    .split(`${heading}\n`)[1]!
    .split(/\n#/)[0]!
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| `code`'))
    .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')));

it('the guide has every reason of the internal interface with its EPP code, and no other', () => {
  const rows = tableUnder('### Codes of the internal interface').slice(1);
  expect(Object.fromEntries(rows.map(([, reason, code]) => [reason, code]))).toEqual(eppCodes);
});

it('the guide has every code of the registrar interface, and no other', () => {
  const rows = tableUnder('### Codes of the registrar interface');
  const codes = Object.values(answers).map(([code]) => String(code));
  expect(new Set(rows.map(([, code]) => code))).toEqual(new Set(['1000', ...codes]));
});

const demoLogins = ['alpha:alpha-demo-secret', 'beta:beta-demo-secret', 'epp-demo-key'];

it('on a local registry, the guide and the reference show the demo logins, and that the limits are off', () => {
  const texts = [prosePage(main, guide(interfaces), {}, localAccess), introductionFor({}, true)];
  for (const text of texts) {
    for (const shown of [...demoLogins, 'Its limits are off']) expect(text).toContain(shown);
  }
  expect(texts[0]).toContain('LOGIN=alpha:alpha-demo-secret KEY=epp-demo-key');
  const { basic, systemKey } = securitySchemes(true);
  expect(basic.description).toContain('`alpha` and `alpha-demo-secret`');
  expect(systemKey.description).toContain('`epp-demo-key`');
});

it('the guide and the document name the public address, if the registry does', () => {
  const lineOf = (PUBLIC_URL: string) =>
    /export REGISTRY=(\S+) LOGIN=name/.exec(
      prosePage(main, guide(interfaces), { PUBLIC_URL }),
    )?.[1];
  expect(lineOf('')).toBe('https://registry.example');
  expect(lineOf('https://names.example')).toBe('https://names.example');
  expect(serversFor({})).toMatchObject([{ url: '/' }]);
  expect(serversFor({ PUBLIC_URL: 'https://names.example' })).toEqual([
    { url: 'https://names.example' },
  ]);
});

it('on a deployed registry, neither shows a demo login', () => {
  const shown = [
    prosePage(main, guide(interfaces), {}),
    introductionFor({}),
    JSON.stringify(securitySchemes(false)),
  ];
  expect(shown.join()).not.toMatch(/demo-(secret|key)|limits are off/);
});

it('the introduction of the reference links to programs of the source, if that has an address', () => {
  const introduction = introductionFor({ SOURCE_URL: 'https://source.ee/tree/main' });
  const links = [...introduction.matchAll(/<https:\/\/source\.ee\/tree\/main\/(.*?)>/g)];
  expect(links.map(([, file]) => file)).toEqual([
    'test/client-project/contact-sync.ts',
    'test/epp-bridge/bridge.ts',
    'test/walkthrough/auction.sh',
  ]);
  expect(links.filter(([, file]) => !existsSync(file!))).toEqual([]);
  expect(introductionFor({})).not.toContain('source');
});

it('what changed has the parts of each release for callers, and a date', () => {
  const { markdown } = changes(
    '# Changelog\n\nFor us.\n\n## [1.1.0] - not released yet\n\n### Registrars\n\n- B\n\n### Operators\n\n- C\n' +
      '\n## [1.0.0] - 2026-11-23\n\n### Registrars\n\n- A\n\n### Operators\n\n- D\n',
  );
  const page = prosePage(main, { ...changes(''), markdown }, {});

  expect(page).toMatch(
    /<h2 id="110">1.1.0 - not released yet.*B.*<h2 id="100">1.0.0 - 2026-11-23.*<h3 id="registrars-1">.*A/s,
  );
  expect(page).not.toMatch(/Operators|For us|[CD]<|\[1/);
});

const callers = [
  ...['Everybody', 'Registrars', 'Registrants', "The registrants' portal", 'The auction centre'],
  ...["The registry's own systems", 'Programs that read the lists'],
];

it.each(changelog.split(/^## /m).slice(1))(
  'the changelog begins with callers, in order: %#',
  (release) => {
    expect(release).toMatch(/^\[\d+\.\d+\.\d+\] - (\d{4}-\d\d-\d\d|not released yet)\n/);
    const headings = [...release.matchAll(/^### (.*)$/gm)].map(([, text]) => text!);
    const readers = [...callers, 'Operators'];
    expect(headings).toEqual(readers.filter((reader) => headings.includes(reader)));
    expect(headings.at(-1)).toBe('Operators');
  },
);
