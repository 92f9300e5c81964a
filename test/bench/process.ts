import { readdirSync, readFileSync } from 'node:fs';

/** The runtime's process, as Linux accounts for it (proc(5)); Miniflare has one at a time. */
export function workerdPid(): number {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8');
  const pids = children.trim().split(' ').map(Number);
  const pid = pids.find((child) => read(child, 'comm').trim() === 'workerd');
  if (pid === undefined) throw new Error('no workerd runs');
  return pid;
}

/** The time that all of its threads have run. */
export function cpuMilliseconds(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((thread) => {
    const [run] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
    return Number(run);
  });
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6;
}

function read(pid: number, file: string): string {
  return readFileSync(`/proc/${pid}/${file}`, 'utf8');
}
