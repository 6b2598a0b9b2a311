import { createLogger } from '@gatehouse/platform';
import { PeriodicJob } from './periodic-job.js';

/** Runs as often as a test lets it. */
class Job extends PeriodicJob {
  runs = 0;
  parallel = 0;
  maxParallel = 0;
  end: () => void = () => undefined;

  constructor() {
    super(3_600_000, createLogger({ logLevel: 'silent' }, 'test'), 'failed');
  }

  protected async run(): Promise<void> {
    this.runs += 1;
    this.parallel += 1;
    this.maxParallel = Math.max(this.maxParallel, this.parallel);
    await new Promise<void>((resolve) => (this.end = resolve));
    this.parallel -= 1;
  }
}

class FailingJob extends Job {
  protected override run(): Promise<void> {
    return Promise.reject(new Error('the reason'));
  }
}

describe('PeriodicJob', () => {
  it('never runs twice at once, also on command', async () => {
    const job = new Job();
    const first = job.runNow();
    const second = job.runNow();
    job.end();
    await first;
    await new Promise((resolve) => setImmediate(resolve));
    job.end();
    await second;
    expect([job.runs, job.maxParallel]).toEqual([2, 1]);
  });

  it('passes on why a run on command failed, and runs again', async () => {
    const job = new FailingJob();
    await expect(job.runNow()).rejects.toThrow('the reason');
    await expect(job.runNow()).rejects.toThrow('the reason');
  });

  it('has stopped when the run under way has ended', async () => {
    const job = new Job();
    const order: string[] = [];
    const run = job.runNow().then(() => order.push('run'));
    const stopped = job.stop().then(() => order.push('stopped'));
    job.end();
    await Promise.all([run, stopped]);
    expect(order).toEqual(['run', 'stopped']);
  });
});
