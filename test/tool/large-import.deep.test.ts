import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { expect, test } from 'vitest';
import { startTool } from './tool.ts';

const tool = startTool();
const count = 300_000;

function* lines() {
  yield 'code,uuid,name,email,phone,ident,ident_type,ident_country_code\n';
  for (let n = 0; n < count; n += 1) {
    yield `ALPHA:${n},${crypto.randomUUID()},Mari Maasikas ${n},mari${n}@example.ee,+372.5123456,38001085718,priv,EE\n`;
  }
}

test('imports a file that is larger than the memory it may use', { timeout: 600_000 }, async () => {
  const registry = await tool.newRegistry('ALPHA');
  const file = path.join(registry.directory, 'contacts.csv');
  await pipeline(Readable.from(lines()), createWriteStream(file));
  const args = ['contact', 'import', file, '--registrar', 'ALPHA', '--dry-run', '--json'];
  const child = registry.start(args, false, 160);
  child.stdin.end();
  const [answer, errors, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  expect({ status, errors: /heap/.test(errors) }).toEqual({ status: 0, errors: false });
  expect(JSON.parse(answer)).toMatchObject({ read: count, added: count });
});
