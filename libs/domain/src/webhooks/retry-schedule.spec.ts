import { retryDelay } from './retry-schedule.js';

const schedule = [0, 15_000, 60_000, 300_000, 1_800_000];

describe('retryDelay', () => {
  it('WH-10: returns a delay within 10 % of the scheduled delay', () => {
    for (const [index, delay] of schedule.entries()) {
      const delays = Array.from({ length: 1_000 }, (_, step) =>
        retryDelay(schedule, index + 1, step / 1_000)!,
      );
      expect(Math.min(...delays)).toBe(delay * 0.9);
      expect(delays[500]).toBe(delay);
      expect(Math.max(...delays)).toBeLessThanOrEqual(delay * 1.1);
      expect(retryDelay(schedule, index + 1, 1 - 2 ** -32)).toBeLessThanOrEqual(delay * 1.1);
    }
  });

  it('WH-10: returns null after five attempts, even for a longer schedule', () => {
    expect([6, 7, 0, -1].map((attempt) => retryDelay(schedule, attempt, 0.5))).toEqual(Array(4).fill(null));
    expect(retryDelay([...schedule, 1, 1], 6, 0.5)).toBeNull();
  });
});
