import { execFileSync } from 'node:child_process';

const SAMPLE_MS = 2_000;
const KIB_PER_MIB = 1_024;

/** The resident memory of a process over time. */
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

  /** Returns the mean of the samples between two shares of the time, in MiB. */
  mean(from: number, to: number): number {
    const part = this.samples.slice(
      Math.floor(from * this.samples.length),
      Math.max(1, Math.ceil(to * this.samples.length)),
    );
    return part.reduce((sum, [, mebibytes]) => sum + mebibytes, 0) / part.length;
  }

  /**
   * Returns the slope of a linear regression through the samples after a share of the time, in MiB per
   * minute.
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
