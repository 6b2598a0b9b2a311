import type { Transactions } from '@gatehouse/persistence';
import { type Config, createLogger } from '@gatehouse/platform';
import { MaintenanceRunner } from './maintenance-runner.js';

describe('MaintenanceRunner', () => {
  it('resolves stop after the current job has ended, and starts no other job', async () => {
    const calls: string[] = [];
    let end!: () => void;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const jobs = [
      { name: 'one', run: () => ended.then(() => void calls.push('pruned')) },
      { name: 'another', run: async () => void calls.push('another') },
    ];
    const runner = new MaintenanceRunner(
      { run: async () => undefined } as unknown as Transactions,
      { jobs },
      { periodicJobs: true } as Config,
      createLogger({ logLevel: 'silent' }, 'test'),
    );
    await runner.start();
    const stopped = runner.stop().then(() => calls.push('stopped'));
    setImmediate(end);
    await stopped;
    expect(calls).toEqual(['pruned', 'stopped']);
  });
});
