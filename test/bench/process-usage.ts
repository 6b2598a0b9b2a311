import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** A process group's CPU time and wake-ups. */
export interface Usage {
  cpuSeconds: number;
  /** Voluntary context switches: the number of times that a process has waited. */
  wakeUps: number;
}

/** Process ids by group. Their descendants count as well. */
export type ProcessGroups<Group extends string> = Record<Group, number[]>;

const ticksPerSecond = (): number => Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** The resources that a group has used since the start of its processes. */
interface Reading {
  cpuTicks: number;
  /** By process id. */
  wakeUps: Map<number, number>;
}

/** Measures the resource usage of process groups, from /proc on Linux. */
export class UsageMeter<Group extends string> {
  private readonly ticks = ticksPerSecond();
  private readonly before: Record<Group, Reading>;

  /** @throws Error on other operating systems */
  constructor(private readonly groups: ProcessGroups<Group>) {
    if (process.platform !== 'linux') throw new Error('process usage can only be measured on Linux');
    this.before = this.read();
  }

  /** Returns each group's usage since the meter was created. */
  measure(): Record<Group, Usage> {
    const after = this.read();
    const result = {} as Record<Group, Usage>;
    for (const group of Object.keys(after) as Group[]) {
      const [then, now] = [this.before[group], after[group]];
      // The CPU time of an ended process is part of its parent's CPU time. Its wake-ups are lost.
      const wakeUps = [...now.wakeUps].map(([pid, count]) => count - (then.wakeUps.get(pid) ?? 0));
      result[group] = {
        // The difference is negative if a process has ended and its parent is not in the group.
        cpuSeconds: Math.max(0, now.cpuTicks - then.cpuTicks) / this.ticks,
        wakeUps: sum(wakeUps),
      };
    }
    return result;
  }

  private read(): Record<Group, Reading> {
    const result = {} as Record<Group, Reading>;
    for (const [group, roots] of Object.entries<number[]>(this.groups)) {
      const pids = withChildren(roots);
      result[group as Group] = {
        cpuTicks: sum(pids.map(readTicks)),
        wakeUps: new Map(pids.map((pid) => [pid, readWakeUps(pid)])),
      };
    }
    return result;
  }
}

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);

/** Returns the /proc/<pid>/stat fields, starting with the third one, or null if the process has ended. */
function readStat(pid: number): string[] | null {
  const stat = readIfExists(`/proc/${pid}/stat`);
  // The program name is in parentheses and can contain spaces.
  return stat === null ? null : stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/**
 * Returns the CPU time that a process, its threads and its ended children, such as PostgreSQL backends, have used.
 */
function readTicks(pid: number): number {
  const fields = readStat(pid);
  // utime, stime, cutime and cstime
  return fields ? sum(fields.slice(11, 15).map(Number)) : 0;
}

function readWakeUps(pid: number): number {
  const counts = listFolder(`/proc/${pid}/task`).map((thread) => {
    const status = readIfExists(`/proc/${pid}/task/${thread}/status`) ?? '';
    return Number(/^voluntary_ctxt_switches:\s*(\d+)/m.exec(status)?.[1] ?? 0);
  });
  return sum(counts);
}

/** Returns processes with all their descendants. */
function withChildren(roots: number[], all = readChildren()): number[] {
  return roots.flatMap((root) => [root, ...withChildren(all.get(root) ?? [], all)]);
}

/** Returns each process's children. */
function readChildren(): Map<number, number[]> {
  const children = new Map<number, number[]>();
  for (const pid of listFolder('/proc').map(Number).filter(Number.isInteger)) {
    const parent = Number(readStat(pid)?.[1]);
    children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  return children;
}

function listFolder(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function readIfExists(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
