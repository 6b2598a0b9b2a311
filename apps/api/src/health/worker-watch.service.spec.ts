import { jest } from '@jest/globals';
import type { WorkersRepository } from '@gatehouse/persistence';
import type { Config, Logger } from '@gatehouse/platform';
import { WorkerWatchService } from './worker-watch.service.js';

const config = { alerts: { noWorkerAfter: 60_000 } } as Config;

describe('WorkerWatchService', () => {
  let nowMs = 0;
  let idleMs: number | null;
  let failure: Error | undefined;
  let log: string[];
  let watch: WorkerWatchService;
  beforeEach(() => {
    nowMs = 1_000_000;
    idleMs = null;
    failure = undefined;
    log = [];
    jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    const write = (_: unknown, message?: string) => void log.push(message ?? String(_));
    const getMsWithoutWorker = () => (failure ? Promise.reject(failure) : Promise.resolve(idleMs));
    const workers = { getMsWithoutWorker } as WorkersRepository;
    watch = new WorkerWatchService(workers, config, { warn: write, info: write } as unknown as Logger);
  });
  afterEach(() => jest.restoreAllMocks());

  const checkAfter = async (ms: number): Promise<boolean> => {
    nowMs += ms;
    await watch.check();
    return watch.isWorkerMissing;
  };

  it('RN-04: reports once when no worker has run for 60 s, and once when one runs again', async () => {
    expect([await checkAfter(59_000), await checkAfter(1_000), await checkAfter(10_000)]).toEqual([
      false,
      true,
      true,
    ]);
    expect(log).toEqual(['no webhook-worker is running; webhooks and emails are waiting']);
    idleMs = 0;
    expect(await checkAfter(10_000)).toBe(false);
    expect(log.slice(1)).toEqual(['webhook-worker is running again']);
  });

  it('RN-04: measures from the last heartbeat after a crash, and from the last check after a stop', async () => {
    idleMs = 0;
    expect(await checkAfter(300_000)).toBe(false);
    idleMs = 40_000;
    expect(await checkAfter(40_000)).toBe(false);
    idleMs = 60_000;
    expect(await checkAfter(20_000)).toBe(true);

    idleMs = 0;
    expect(await checkAfter(10_000)).toBe(false);
    idleMs = null;
    expect([await checkAfter(59_000), await checkAfter(1_000)]).toEqual([false, true]);
  });

  it('RN-04: measures from the last failed check after a database outage', async () => {
    idleMs = 0;
    await checkAfter(10_000);
    failure = new Error('unavailable');
    await expect(checkAfter(300_000)).rejects.toBe(failure);
    failure = undefined;
    idleMs = 310_000;
    expect([await checkAfter(10_000), await checkAfter(49_000), await checkAfter(1_000)]).toEqual([
      false,
      false,
      true,
    ]);

    failure = new Error('unavailable');
    await expect(checkAfter(10_000)).rejects.toBe(failure);
    failure = undefined;
    expect(await checkAfter(10_000)).toBe(true);
    expect(log).toEqual(['no webhook-worker is running; webhooks and emails are waiting']);
  });
});
