import { jest } from '@jest/globals';
import { Metrics, type Config, type Logger } from '@gatehouse/platform';
import type { Database } from '../database/database.js';
import { ClockAndHostMonitor } from './clock-and-host-monitor.js';
import type { ProcessProblem, ProcessProblemsRepository } from './process-problems.repository.js';

const config = { database: { url: 'postgres://db-1,db-2/gatehouse', pooler: 'transaction' } } as Config;

describe('ClockAndHostMonitor', () => {
  /** Time by which this process is ahead of PostgreSQL, and the request and response latencies, in ms. */
  let skew: number | null;
  let latencies: [number, number];
  let log: [message: string, fields: object][];
  let recorded: string[][];
  let recordFails: boolean;
  let metrics: Metrics;
  let monitor: ClockAndHostMonitor;
  beforeEach(async () => {
    [skew, latencies, log, recorded, recordFails] = [0, [0, 0], [], [], false];
    metrics = await Metrics.load();
    jest.useFakeTimers();
    const execute = () => {
      if (skew === null) return Promise.reject(new Error('unavailable'));
      jest.advanceTimersByTime(latencies[0]);
      const at = new Date(Date.now() - skew);
      jest.advanceTimersByTime(latencies[1]);
      return Promise.resolve([{ at }]);
    };
    const repository = {
      record: (_: object, problems: ProcessProblem[]) => {
        if (recordFails) return Promise.reject(new Error('unavailable'));
        recorded.push(problems.map(({ kind, detail }) => `${kind}: ${detail}`));
        return Promise.resolve();
      },
    } as unknown as ProcessProblemsRepository;
    const write = (fields: object, message: string) => void log.push([message, fields]);
    const logger = { info: write, warn: write, error: write } as unknown as Logger;
    monitor = new ClockAndHostMonitor(
      { execute } as unknown as Database,
      repository,
      config,
      logger,
      'api',
      metrics,
    );
  });
  afterEach(() => jest.useRealTimers());

  /** Checks the clock and returns the metric's value. */
  async function checkSkew(ms: number | null, ...newLatencies: number[]): Promise<string | undefined> {
    skew = ms;
    if (newLatencies.length === 2) latencies = newLatencies as [number, number];
    await monitor.check();
    return /^gatehouse_clock_skew_seconds (\S+)$/m.exec(await metrics.render())?.[1];
  }
  const BEGAN = 'clock differs from the clock of PostgreSQL';
  const ENDED = 'clock agrees with the clock of PostgreSQL again';

  it('reports a clock skew of 2 s or more once, and its resolution once', async () => {
    expect(await checkSkew(1_999)).toBe('1.999');
    expect([log, recorded]).toEqual([[], []]);
    expect(await checkSkew(2_500)).toBe('2.5');
    expect(await checkSkew(2_500)).toBe('2.5');
    expect(log).toEqual([[BEGAN, { skewMs: 2_500 }]]);
    expect(recorded).toEqual([['clock_skew: 2.5 s ahead'], ['clock_skew: 2.5 s ahead']]);
    expect(await checkSkew(0)).toBe('0');
    expect(await checkSkew(0)).toBe('0');
    expect(log.slice(1)).toEqual([[ENDED, { skewMs: 0 }]]);
    expect(recorded.slice(2)).toEqual([[]]);
  });

  it('reports a negative skew for a clock that is behind', async () => {
    expect(await checkSkew(-4_000)).toBe('-4');
    expect(recorded).toEqual([['clock_skew: 4 s behind']]);
  });

  it('does not mistake a slow request or response for clock skew', async () => {
    expect(await checkSkew(0, 6_000, 0)).toBe('0');
    expect(await checkSkew(0, 0, 6_000)).toBe('0');
    expect(log).toEqual([]);
    expect(await checkSkew(-60_000, 0, 6_000)).toBe('-54');
  });

  it('keeps a problem but omits the metric while PostgreSQL is unavailable', async () => {
    await checkSkew(2_500);
    expect(await checkSkew(null)).toBeUndefined();
    await checkSkew(2_500);
    expect(log.map(([message]) => message)).toEqual([BEGAN]);
  });

  it('retries recording the end of a problem', async () => {
    await checkSkew(2_500);
    recordFails = true;
    await checkSkew(0);
    recordFails = false;
    await checkSkew(0);
    await checkSkew(0);
    expect(recorded).toEqual([['clock_skew: 2.5 s ahead'], []]);
  });

  it('deletes its problem records when it stops', async () => {
    await monitor.end();
    expect(recorded).toEqual([]);
    await checkSkew(2_500);
    await monitor.end();
    expect(recorded.slice(1)).toEqual([[]]);
  });

  it('does not count the hosts behind a pooler', async () => {
    await checkSkew(0);
    expect(await metrics.render()).not.toMatch(/^gatehouse_database_writable_hosts /m);
  });
});
