import path from 'node:path';
import { expect, it, vi } from 'vitest';
import { checkClock } from '../../src/tool/clock.ts';
import { shareWorker } from '../support/worker.ts';
import { startTool } from './tool.ts';

const tool = startTool();

const worker = shareWorker();

const hours = 60 * 60 * 1000;

/** Runs the command with a clock that is this much later. */
async function at<Result>(later: number, work: () => Promise<Result>): Promise<Result> {
  const now = Date.now.bind(Date);
  vi.useFakeTimers({ toFake: ['Date'], now: now() + later });
  try {
    return await work();
  } finally {
    vi.useRealTimers();
  }
}

it.each([0, 5, -5])('accepts a clock that is %i seconds ahead', async (seconds) => {
  await at(seconds * 1000, () => checkClock(worker.env.DB));
});

it.each([3_600, -3_600])('refuses a clock that is %i seconds ahead', async (seconds) => {
  await expect(at(seconds * 1000, () => checkClock(worker.env.DB))).rejects.toThrow(
    /^this machine's clock is -?\d+ seconds from the database's: set it$/,
  );
});

it.each([
  ['before the newest entry of the history', -5 / 60 - 0.01],
  ['before this release', -24_000],
])(
  'nothing is written while the clock is %s, without --clock-is-right',
  async (why, later) => {
    const registry = await tool.newRegistry('ALPHA');
    const before = await registry.rows();
    const add = 'retained add clock.ee --status blocked';
    const refused = await at(later * hours, () => registry.run(add));
    expect(refused).toMatchObject({ status: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      new RegExp(
        `^refused: this machine's clock says \\S+, which is ${why} \\(\\S+\\), so nothing was written: set it, or, if it is right, add --clock-is-right\n$`,
      ),
    );
    expect(await registry.rows()).toEqual(before);
    const dryRun = await at(later * hours, () => registry.run(`${add} --dry-run`));
    expect(dryRun).toMatchObject({ status: 0 });
    const right = await at(later * hours, () => registry.run(`${add} --clock-is-right`));
    expect(right).toMatchObject({ status: 0 });
  },
  60_000,
);

it('a file with a newer entry than the clock is not restored, without --clock-is-right', async () => {
  const registry = await tool.newRegistry('ALPHA');
  const file = path.join(await tool.newDirectory(), 'backup.sqlite');
  await registry.done(['backup', file]);
  const before = await registry.rows();
  const restore = ['restore', file, '--yes'];
  const refused = await at(-hours, () => registry.run(restore));
  expect(refused).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('which is before the newest entry of the history'),
  });
  expect(await registry.rows()).toEqual(before);
  const right = await at(-hours, () => registry.run([...restore, '--clock-is-right']));
  expect(right).toMatchObject({ status: 0 });
}, 60_000);

it('a clock of more than a day after the newest entry of the history is a note', async () => {
  const registry = await tool.newRegistry('ALPHA');
  const add = 'retained add clock.ee --status blocked';
  const noted = await at(10 * 24 * hours + 1000, () => registry.run(add));
  expect(noted).toMatchObject({ status: 0 });
  expect(noted.stderr).toMatch(
    /^note: this machine's clock says \S+, 10 days after the newest entry of the history \(\S+\); if it is wrong, set it before you change anything else\n/,
  );
  const sure = await at(30 * 24 * hours, () => registry.run(`${add} --clock-is-right`));
  expect(sure.stderr).not.toContain('clock');
}, 60_000);
