import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const SAMPLE_MS = 2_000;
const KIB_PER_MIB = 1_024;

/** A process's memory, in MiB. */
export interface ProcessMemory {
  /** Pages in memory. File pages that several processes share count for each of them. */
  resident: number;
  /** Like `resident`, but shared pages are divided between their processes. */
  proportional: number;
  /** Pages that only this process uses and has modified: its own data. */
  privateDirty: number;
  /** Maximum of `resident` since the start of the process. */
  peak: number;
  /** `resident` without file pages, which the system can drop and read again. */
  anonymous: number;
}

/** Samples of a process's resident memory. */
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

  /** Returns the mean of the samples between two fractions of the duration, in MiB. */
  mean(from: number, to: number): number {
    const part = this.samples.slice(
      Math.floor(from * this.samples.length),
      Math.max(1, Math.ceil(to * this.samples.length)),
    );
    return part.reduce((sum, [, mebibytes]) => sum + mebibytes, 0) / part.length;
  }

  /**
   * Returns the slope of the linear regression over the samples after a fraction of the duration, in MiB per minute.
   */
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
