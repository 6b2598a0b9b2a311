import { URGENCY } from '@gatehouse/domain';
import type { ClaimedAttempt, ReadyQueueRepository } from '@gatehouse/persistence';
import { createLogger, loadConfig } from '@gatehouse/platform';
import type { AttemptRunner } from './attempt-runner.js';
import { DuePoller } from './due-poller.js';
import { ConcurrencyLimits, type ConcurrencyKey } from './concurrency-limits.js';

const retry = (endpointId: string): ConcurrencyKey => ({
  endpointId,
  projectId: null,
  urgency: URGENCY.retry,
});

describe('DuePoller', () => {
  it('keeps endpoints blocked while the shared limit of retries is exhausted', async () => {
    const config = loadConfig({ WEBHOOK_CONCURRENCY: '8', GATEHOUSE_SECRET: 'x7Kq9'.repeat(8) + Math.PI });
    const limits = new ConcurrencyLimits(config);
    for (const id of ['one', 'two', 'three']) limits.acquire(retry(id));
    for (const id of ['four', 'five']) limits.blockedEndpoints.add(id);
    // Only one delivery of the blocked endpoints is claimed. It exhausts the limit of retries.
    const readyQueue: Partial<ReadyQueueRepository> = {
      claimDueForEndpoints: async (ids) => (ids.includes('four') ? [retry('four') as ClaimedAttempt] : []),
      claimDue: async () => [],
      listEndpointsWithPending: async () => [],
    };
    const runner = {
      run: async (attempt: ConcurrencyKey) => limits.acquire(attempt),
    } as unknown as AttemptRunner;
    const logger = createLogger({ logLevel: 'silent' }, 'test');
    const duePoller = new DuePoller(
      readyQueue as ReadyQueueRepository,
      limits,
      runner,
      config,
      null,
      null,
      logger,
    );
    duePoller.start();
    await duePoller.stop();
    expect([...limits.blockedEndpoints]).toContain('five');
  });
});
