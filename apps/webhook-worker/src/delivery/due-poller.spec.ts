import { URGENCY } from '@gatehouse/domain';
import type { ClaimedAttempt, ReadyQueueRepository } from '@gatehouse/persistence';
import { createLogger, loadConfig, type Config } from '@gatehouse/platform';
import type { AttemptRunner } from './attempt-runner.js';
import { DuePoller } from './due-poller.js';
import { ConcurrencyLimits, type ConcurrencyKey } from './concurrency-limits.js';

const retry = (endpointId: string): ConcurrencyKey => ({
  endpointId,
  projectId: null,
  urgency: URGENCY.retry,
});

/** Starts a poller and stops it after its first poll. */
async function pollOnce(
  readyQueue: Partial<ReadyQueueRepository>,
  limits: ConcurrencyLimits,
  config: Config,
): Promise<void> {
  const runner = {
    run: async (attempt: ConcurrencyKey) => limits.acquire(attempt),
  } as unknown as AttemptRunner;
  const logger = createLogger({ logLevel: 'silent' }, 'test');
  const repository = readyQueue as ReadyQueueRepository;
  const duePoller = new DuePoller(repository, limits, runner, config, null, null, logger);
  duePoller.start();
  await duePoller.stop();
}

const createConfig = (concurrency: number): Config =>
  loadConfig({
    WEBHOOK_CONCURRENCY: String(concurrency),
    GATEHOUSE_SECRET: 'x7Kq9'.repeat(8) + Math.PI,
  });

describe('DuePoller', () => {
  it('ranks due deliveries only if an unranked claim could exceed a limit', async () => {
    const claims: string[] = [];
    const readyQueue: Partial<ReadyQueueRepository> = {
      claimUnranked: async () => (claims.push('unranked'), []),
      claimDue: async () => (claims.push('ranked'), []),
      getMsUntilNextDue: async () => null,
    };
    const config = createConfig(256);
    const limits = new ConcurrencyLimits(config);
    await pollOnce(readyQueue, limits, config);
    for (let index = 0; index < 40; index += 1) limits.acquire(retry('one'));
    await pollOnce(readyQueue, limits, config);
    expect(claims).toEqual(['unranked', 'ranked']);
  });

  it('keeps endpoints blocked while the shared retry limit is exhausted', async () => {
    const config = createConfig(8);
    const limits = new ConcurrencyLimits(config);
    for (const id of ['one', 'two', 'three']) limits.acquire(retry(id));
    for (const id of ['four', 'five']) limits.blockedEndpoints.add(id);
    // Only one delivery to the blocked endpoints can be claimed, because it exhausts the retry limit.
    const readyQueue: Partial<ReadyQueueRepository> = {
      claimDueForEndpoints: async (ids) => (ids.includes('four') ? [retry('four') as ClaimedAttempt] : []),
      claimDue: async () => [],
      listEndpointsWithPending: async () => [],
    };
    await pollOnce(readyQueue, limits, config);
    expect([...limits.blockedEndpoints]).toContain('five');
  });
});
