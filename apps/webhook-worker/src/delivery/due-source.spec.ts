import { URGENCY } from '@gatehouse/domain';
import type { ClaimedAttempt, DeliveryLinesRepository } from '@gatehouse/persistence';
import { createLogger, loadConfig } from '@gatehouse/platform';
import type { AttemptRunner } from './attempt-runner.js';
import { DueSource } from './due-source.js';
import { Lanes, type Lane } from './lanes.js';

const retry = (endpointId: string): Lane => ({ endpointId, projectId: null, urgency: URGENCY.retry });

describe('DueSource', () => {
  it('goes on holding endpoints for which a share of all left no room', async () => {
    const config = loadConfig({ WEBHOOK_CONCURRENCY: '8', GATEHOUSE_SECRET: 'x7Kq9'.repeat(8) + Math.PI });
    const lanes = new Lanes(config);
    for (const id of ['one', 'two', 'three']) lanes.enter(retry(id));
    for (const id of ['four', 'five']) lanes.held.add(id);
    // Of those that are held only one is claimed: with it retries have all the room that they may have.
    const lines: Partial<DeliveryLinesRepository> = {
      claimOf: async (ids) => (ids.includes('four') ? [retry('four') as ClaimedAttempt] : []),
      claimDue: async () => [],
      endpointsInLine: async () => [],
    };
    const runner = { run: async (attempt: Lane) => lanes.enter(attempt) } as unknown as AttemptRunner;
    const logger = createLogger({ logLevel: 'silent' }, 'test');
    const source = new DueSource(lines as DeliveryLinesRepository, lanes, runner, config, null, null, logger);
    source.start();
    await source.stop();
    expect([...lanes.held]).toContain('five');
  });
});
