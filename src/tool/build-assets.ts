import {
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import {
  introductionFor,
  localAccess,
  securitySchemes,
  serversFor,
} from '../worker/http/openapi/introduction.ts';
import { changes, guide, prosePage } from './guide.ts';
import { configPath, isUpToDate, projectDirectory } from './project.ts';
import { referenceFiles } from './reference.ts';
import { readEnvironment } from './wrangler-config.ts';

/*
 * Wrangler's build command before each bundling. Writes the files that the platform serves without
 * the Worker to .wrangler/assets, each in one step and only if it changes: several servers may be
 * starting.
 */

const staticDirectory = path.join(projectDirectory, 'src/worker/http/static');
const target = path.join(projectDirectory, '.wrangler/assets');

const swaggerUi = {
  'swagger-ui-bundle.js': 'swagger-ui-bundle.js',
  LICENSE: 'swagger-ui-license.txt',
  NOTICE: 'swagger-ui-notice.txt',
  'swagger-ui-bundle.js.LICENSE.txt': 'swagger-ui-bundle.js.LICENSE.txt',
};

type Files = Map<string, Buffer | string>;

function readDirectory(directory: string): Files {
  const names = globSync('**/*', { cwd: directory, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(directory, path.join(entry.parentPath, entry.name)));
  return new Map(names.map((name) => [name, readFileSync(path.join(directory, name))]));
}

function write(files: Files): void {
  for (const [name, content] of files) {
    const file = path.join(target, name);
    const bytes = Buffer.from(content);
    if (existsSync(file) && readFileSync(file).equals(bytes)) continue;
    mkdirSync(path.dirname(file), { recursive: true });
    // Outside the target, from where another build would remove it as a file of an earlier one.
    const whole = `${target}.${process.pid}`;
    writeFileSync(whole, bytes);
    renameSync(whole, file);
  }
}

/** Removes what an earlier build wrote and this one does not. */
function removeOthers(files: Files): void {
  for (const name of readDirectory(target).keys()) {
    if (!files.has(name)) rmSync(path.join(target, name), { force: true });
  }
}

// The tests build once for all the runtimes that they start.
if (!process.env.ASSETS_ARE_BUILT) {
  const files = readDirectory(staticDirectory);
  for (const [name, servedName] of Object.entries(swaggerUi)) {
    const file = path.join(projectDirectory, 'node_modules/swagger-ui-dist', name);
    files.set(path.join('docs', servedName), readFileSync(file));
  }
  const { CLOUDFLARE_ENV: environment, WRANGLER_COMMAND } = process.env;
  // What is deployed, for an environment or without knowing one, says nothing of the demo.
  const isLocal = WRANGLER_COMMAND === 'dev' && !environment;
  const { own } = readEnvironment(configPath, environment || undefined);
  const settings = own?.vars ?? {};
  const template = String(files.get('docs/guide.html'));
  const read = (name: string) => readFileSync(path.join(projectDirectory, name), 'utf8');
  for (const prose of [guide(read('src/worker/http/README.md')), changes(read('CHANGELOG.md'))]) {
    files.set(
      `${prose.address.slice(1)}.html`,
      prosePage(template, prose, settings, isLocal ? localAccess : undefined),
    );
  }
  const document = path.join(target, 'openapi.json');
  const startedAtSeconds = Date.now() / 1000;
  const isKept = isUpToDate(statSync(document, { throwIfNoEntry: false })?.mtimeMs);
  const { openApiDocument } = isKept
    ? { openApiDocument: () => JSON.parse(readFileSync(document, 'utf8')) }
    : await import('../worker/http/document.openapi.ts');
  const content = openApiDocument();
  content.info.description = introductionFor(settings, isLocal);
  content.components.securitySchemes = securitySchemes(isLocal);
  // The reference calls the host that it is shown at: its policy allows no other. A kept document may name another.
  content.servers = serversFor({});
  files.set('openapi.json', JSON.stringify({ ...content, servers: serversFor(settings) }));
  const reference = String(files.get(path.join('docs', 'index.html')));
  for (const [name, file] of referenceFiles(reference, content)) {
    files.set(path.join('docs', name), file);
  }
  write(files);
  removeOthers(files);
  // Sources that changed during the build are newer than this time.
  if (!isKept) utimesSync(document, startedAtSeconds, startedAtSeconds);
}
