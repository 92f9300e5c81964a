import { execFileSync } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';

/** The living processes. One that has ended stays in the table until its parent takes note. */
function living() {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' });
  return lines
    .trimEnd()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , state]) => !state!.startsWith('Z'))
    .map(([pid, parent, , ...args]) => {
      return { pid: Number(pid), parent: Number(parent), args: args.join(' ') };
    });
}

/** The process, and all that it has started. */
export function family(pid: number, all = living()): ReturnType<typeof living> {
  const children = all.filter(({ parent }) => parent === pid);
  const own = all.filter((one) => one.pid === pid);
  return [...own, ...children.flatMap((child) => family(child.pid, all))];
}

/** Resolves when the process has started one with this in its command line. */
export async function childOf(pid: number, word: string): Promise<number> {
  for (;;) {
    const child = family(pid).find((one) => one.pid !== pid && one.args.includes(word));
    if (child) return child.pid;
    await setTimeout(20);
  }
}

/** Resolves when all of them have ended. */
export async function endOf(processes: readonly { pid: number }[]): Promise<void> {
  const isOne = ({ pid }: { pid: number }) => processes.some((one) => one.pid === pid);
  while (living().some(isOne)) await setTimeout(20);
}
