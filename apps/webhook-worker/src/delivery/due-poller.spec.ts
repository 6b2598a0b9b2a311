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

describe('DueSource', () => {
  it('goes on holding endpoints for which a share of all left no room', async () => {
    const config = loadConfig({ WEBHOOK_CONCURRENCY: '8', GATEHOUSE_SECRET: 'x7Kq9'.repeat(8) + Math.PI });
    const lanes = new ConcurrencyLimits(config);
    for (const id of ['one', 'two', 'three']) lanes.acquire(retry(id));
    for (const id of ['four', 'five']) lanes.blockedEndpoints.add(id);
    // Of those that are held only one is claimed: with it retries have all the room that they may have.
    const lines: Partial<ReadyQueueRepository> = {
      claimDueForEndpoints: async (ids) => (ids.includes('four') ? [retry('four') as ClaimedAttempt] : []),
      claimDue: async () => [],
      listEndpointsWithPending: async () => [],
    };
    const runner = {
      run: async (attempt: ConcurrencyKey) => lanes.acquire(attempt),
    } as unknown as AttemptRunner;
    const logger = createLogger({ logLevel: 'silent' }, 'test');
    const source = new DuePoller(lines as ReadyQueueRepository, lanes, runner, config, null, null, logger);
    source.start();
    await source.stop();
    expect([...lanes.blockedEndpoints]).toContain('five');
  });
});
