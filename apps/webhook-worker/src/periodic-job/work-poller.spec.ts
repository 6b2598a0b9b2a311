import type { PendingWork, PendingWorkRepository } from '@gatehouse/persistence';
import { createLogger, loadConfig } from '@gatehouse/platform';
import { WorkJob } from './work-job.js';
import { WorkPoller } from './work-poller.js';

const logger = createLogger({ logLevel: 'silent' }, 'test');
const config = loadConfig({ GATEHOUSE_SECRET: 'x7Kq9'.repeat(8) + Math.PI });

class CountingJob extends WorkJob {
  runs = 0;

  protected async run(): Promise<void> {
    this.runs += 1;
  }
}

const nothing: PendingWork = {
  repairs: false,
  deadLetters: false,
  mails: false,
  replays: false,
  redeliveryBatches: false,
  requiredDomains: false,
};

/** Creates a poller with two jobs, and counts its statements. */
function createPoller() {
  const test = { pending: nothing, reads: 0 };
  const repository = {
    read: async () => ((test.reads += 1), test.pending),
  } as unknown as PendingWorkRepository;
  const mails = new CountingJob('mails', logger, 'failed');
  const replays = new CountingJob('replays', logger, 'failed');
  return { test, mails, replays, poller: new WorkPoller(repository, [mails, replays], config, logger) };
}

describe('WorkPoller', () => {
  it('runs the jobs whose work is waiting', async () => {
    const { test, mails, replays, poller } = createPoller();
    test.pending = { ...nothing, mails: true };
    await poller.runNow();
    expect([mails.runs, replays.runs]).toEqual([1, 0]);
  });

  it('reads every second time while no work is waiting, and every time after it has found work', async () => {
    const { test, poller } = createPoller();
    const reads: number[] = [];
    for (let run = 0; run < 8; run += 1) {
      test.pending = { ...nothing, replays: run >= 4 };
      await poller.runNow();
      reads.push(test.reads);
    }
    expect(reads).toEqual([1, 1, 2, 2, 3, 4, 5, 6]);
  });
});
