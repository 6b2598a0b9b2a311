import { createLogger } from '@gatehouse/platform';
import { Job } from './job.js';

/** A job whose runs last until the test ends them. */
class OpenJob extends Job {
  runs = 0;
  activeRuns = 0;
  maxActiveRuns = 0;
  end: () => void = () => undefined;

  constructor() {
    super(createLogger({ logLevel: 'silent' }, 'test'), 'failed');
  }

  protected async run(): Promise<void> {
    this.runs += 1;
    this.activeRuns += 1;
    this.maxActiveRuns = Math.max(this.maxActiveRuns, this.activeRuns);
    await new Promise<void>((resolve) => (this.end = resolve));
    this.activeRuns -= 1;
  }
}

class FailingJob extends OpenJob {
  protected override run(): Promise<void> {
    return Promise.reject(new Error('the reason'));
  }
}

describe('Job', () => {
  it('never runs twice at the same time, even with runNow', async () => {
    const job = new OpenJob();
    const first = job.runNow();
    const second = job.runNow();
    job.end();
    await first;
    await new Promise((resolve) => setImmediate(resolve));
    job.end();
    await second;
    expect([job.runs, job.maxActiveRuns]).toEqual([2, 1]);
  });

  it('rejects runNow with the error from the run, and runs again', async () => {
    const job = new FailingJob();
    await expect(job.runNow()).rejects.toThrow('the reason');
    await expect(job.runNow()).rejects.toThrow('the reason');
  });

  it('resolves stop after the current run has ended', async () => {
    const job = new OpenJob();
    const order: string[] = [];
    const run = job.runNow().then(() => order.push('run'));
    const stopped = job.stop().then(() => order.push('stopped'));
    job.end();
    await Promise.all([run, stopped]);
    expect(order).toEqual(['run', 'stopped']);
  });

  it('ignores triggers while it runs and after it has stopped', async () => {
    const job = new OpenJob();
    job.trigger();
    job.trigger();
    const stopped = job.stop();
    job.end();
    await stopped;
    job.trigger();
    expect(job.runs).toBe(1);
  });
});
