import type { Transactions } from '@gatehouse/persistence';
import { type Config, createLogger } from '@gatehouse/platform';
import { MaintenanceRunner } from './maintenance-runner.js';

describe('Housekeeper', () => {
  it('has stopped only when the statement under way has ended, and begins no other', async () => {
    const told: string[] = [];
    let end!: () => void;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const all = [
      { name: 'one', run: () => ended.then(() => void told.push('pruned')) },
      { name: 'another', run: async () => void told.push('another') },
    ];
    const keeper = new MaintenanceRunner(
      { run: async () => undefined } as unknown as Transactions,
      { jobs: all },
      { periodicJobs: true } as Config,
      createLogger({ logLevel: 'silent' }, 'test'),
    );
    await keeper.start();
    const stopped = keeper.stop().then(() => told.push('stopped'));
    setImmediate(end);
    await stopped;
    expect(told).toEqual(['pruned', 'stopped']);
  });
});
