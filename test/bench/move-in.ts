import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { stringify } from 'csv-stringify';
import { type FileRow, row, uuidOf } from '../tool/move-in/files.ts';
import { atMost, type Figure } from './figure.ts';

const contactCount = Number(process.env.MOVE_IN_CONTACTS ?? 100_000);
const domainCount = contactCount * 1.5;
const nameCount = contactCount * 0.6;
const registrarCount = 50;
const sampleMilliseconds = 100;

const registrarOf = (n: number) => `REG${n % registrarCount}`;
const contactOf = (n: number) => `${registrarOf(n)}:${n}`;

/** The rows of each file. */
function files(): Record<string, () => Generator<FileRow>> {
  return {
    *registrars() {
      for (let n = 0; n < registrarCount; n += 1) yield row.registrar(n + 1, registrarOf(n));
    },
    *contacts() {
      for (let n = 1; n <= contactCount; n += 1) {
        const phone = n % 10 === 0 ? '+3725123456' : '+372.5123456';
        yield row.contact(n, registrarOf(n), { uuid: uuidOf(n), phone });
      }
    },
    *domains() {
      for (let n = 1; n <= domainCount; n += 1) yield row.domain(`nimi${n}.ee`, registrarOf(n));
    },
    *'domain-contacts'() {
      for (let n = 1; n <= domainCount; n += 1) {
        const holder = contactOf((n % contactCount) + 1);
        const other = contactOf(((n + 1) % contactCount) + 1);
        yield row.link(`nimi${n}.ee`, holder, 'registrant');
        yield row.link(`nimi${n}.ee`, other, 'admin');
        yield row.link(`nimi${n}.ee`, other, 'tech');
      }
    },
    *reserved() {
      for (let n = 1; n <= nameCount; n += 1) {
        yield row.reserved(`kinni${n}.ee`, { password: `sala${n}` });
      }
    },
  };
}

async function writeAll(directory: string): Promise<void> {
  for (const [name, rows] of Object.entries(files())) {
    const file = createWriteStream(path.join(directory, `${name}.csv`));
    await pipeline(Readable.from(rows()), stringify({ header: true }), file);
  }
}

/** Seconds and peak memory of the tool itself; the local runtime beside it is not part of it. */
async function measured(args: string[]): Promise<{ seconds: number; megabytes: number }> {
  const startedAt = performance.now();
  const child = spawn('src/tool/registry', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  let peak = 0;
  const sampler = setInterval(() => {
    const status = readdirSync('/proc').includes(String(child.pid))
      ? readFileSync(`/proc/${child.pid}/status`, 'utf8')
      : '';
    peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0));
  }, sampleMilliseconds);
  const [status] = await once(child, 'close');
  clearInterval(sampler);
  if (status !== 0) throw new Error(`${args.join(' ')}: status ${status}`);
  return { seconds: (performance.now() - startedAt) / 1000, megabytes: peak / 1024 };
}

/** The time for a registry to move in, and to prove it; and the memory of the tool. Takes some two minutes. */
export async function moveIn(): Promise<Figure[]> {
  const work = await mkdtemp(path.join(tmpdir(), 'registry-edge-move-in-'));
  const file = path.join(work, 'registry.sqlite');
  const given = path.join(work, 'files');
  try {
    await mkdir(given);
    await writeAll(given);
    const written = await measured(['move-in', given, '--to', file]);
    const proof = await measured(['reconcile', given, file]);
    const what = `${contactCount.toLocaleString('en')} contacts, ${domainCount.toLocaleString('en')} domains, ${nameCount.toLocaleString('en')} names`;
    return Object.entries({ 'to a file': written, reconcile: proof }).flatMap(
      ([step, { seconds, megabytes }]) => [
        atMost(`Moving in ${what}: ${step}`, seconds, 's', 120),
        atMost(`Moving in ${what}: ${step}, memory of the tool`, megabytes, 'MiB', 400),
      ],
    );
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
