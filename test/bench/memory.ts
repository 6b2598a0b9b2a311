import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const SAMPLE_MS = 2_000;
const KIB_PER_MIB = 1_024;

/** A process's memory, in MiB. */
export interface ProcessMemory {
  /** Pages in memory. File pages that several processes share count in each process. */
  resident: number;
  /** Like `resident`, but a shared page counts in part in each process. */
  proportional: number;
  /** Pages that only this process has and that are not in a file: its own data. */
  privateDirty: number;
  /** Maximum of `resident` since the process started. */
  peak: number;
  /** `resident` without file pages, which the system can drop and read again. */
  anonymous: number;
}

/** A process's resident memory over time. */
export class MemoryLog {
  /** Minutes since the first sample, and MiB. */
  readonly samples: [minutes: number, mebibytes: number][] = [];
  private readonly startedAt = performance.now();
  private readonly timer = setInterval(() => this.sample(), SAMPLE_MS);

  constructor(private readonly pid: number) {
    this.sample();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Returns the samples' mean between two shares of the time, in MiB. */
  mean(from: number, to: number): number {
    const part = this.samples.slice(
      Math.floor(from * this.samples.length),
      Math.max(1, Math.ceil(to * this.samples.length)),
    );
    return part.reduce((sum, [, mebibytes]) => sum + mebibytes, 0) / part.length;
  }

  /** Returns the linear regression slope through the samples after a share of the time, in MiB per minute. */
  slope(from: number): number {
    const part = this.samples.slice(Math.floor(from * this.samples.length));
    const mean = (index: 0 | 1): number => part.reduce((sum, sample) => sum + sample[index], 0) / part.length;
    const [time, size] = [mean(0), mean(1)];
    const covariance = part.reduce((sum, [x, y]) => sum + (x - time) * (y - size), 0);
    return covariance / part.reduce((sum, [x]) => sum + (x - time) ** 2, 0);
  }

  private sample(): void {
    const kibibytes = Number(
      execFileSync('ps', ['-o', 'rss=', '-p', String(this.pid)], { encoding: 'utf8' }),
    );
    this.samples.push([(performance.now() - this.startedAt) / 60_000, kibibytes / KIB_PER_MIB]);
  }
}

/** Returns a process's memory. Requires Linux. */
export function readMemory(pid: number): ProcessMemory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return {
    resident: readNumber(rollup, 'Rss') / KIB_PER_MIB,
    proportional: readNumber(rollup, 'Pss') / KIB_PER_MIB,
    privateDirty: readNumber(rollup, 'Private_Dirty') / KIB_PER_MIB,
    peak: readNumber(status, 'VmHWM') / KIB_PER_MIB,
    anonymous: readNumber(status, 'RssAnon') / KIB_PER_MIB,
  };
}

const readNumber = (text: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(text)![1]);
