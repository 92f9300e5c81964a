import { parseArgs } from 'node:util';
import { bundle } from './bundle.ts';
import { busy } from './busy.ts';
import { contacts } from './contacts.ts';
import { costs } from './costs.ts';
import { type Figure, table } from './figure.ts';
import { lists } from './lists.ts';
import { publishing } from './publishing.ts';
import { storage } from './storage.ts';
import { strangers } from './strangers.ts';
import { systems } from './systems.ts';

const parts: Record<string, () => Promise<Figure[]>> = {
  lists,
  publishing,
  contacts,
  costs,
  bundle,
  storage,
  strangers,
  systems,
  busy,
};

/** Parts that take so long, or so much space, that they are measured only when they are named. */
const onRequest = ['storage', 'strangers', 'systems', 'busy'];

// Standard output is for the figures alone: not for wrangler's notes, nor for the log lines of the service.
process.env.WRANGLER_LOG = 'error';
console.info = () => {};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false } },
});
const usual = Object.keys(parts).filter((name) => !onRequest.includes(name));
const chosen = positionals.length > 0 ? positionals : usual;
const unknown = chosen.filter((name) => !Object.hasOwn(parts, name));
if (unknown.length > 0) {
  console.error(`no part ${unknown.join(', ')}; there are: ${Object.keys(parts).join(', ')}`);
  process.exit(2);
}

const figures: Figure[] = [];
for (const name of chosen) {
  console.error(`measuring ${name}`);
  figures.push(...(await parts[name]!()));
}
console.log(values.json ? JSON.stringify(figures, null, 2) : table(figures));
