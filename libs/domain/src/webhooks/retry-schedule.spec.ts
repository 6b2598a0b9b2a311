import { MAX_ATTEMPTS, retryDelay, RETRY_JITTER } from './retry-schedule.js';

const schedule = [0, 15_000, 60_000, 300_000, 1_800_000];
const almostOne = 1 - 2 ** -32;

describe('retryDelay', () => {
  it.each([
    [1, 0, 0],
    [2, 13_500, 16_500],
    [3, 54_000, 66_000],
    [4, 270_000, 330_000],
    [5, 1_620_000, 1_980_000],
  ])('WH-10: attempt %d comes after %d to %d ms', (attempt, least, most) => {
    expect(retryDelay(schedule, attempt, 0)).toBe(least);
    expect(retryDelay(schedule, attempt, almostOne)).toBeLessThanOrEqual(most);
    const delays = Array.from({ length: 1_000 }, (_, step) => retryDelay(schedule, attempt, step / 1_000)!);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(least);
    expect(Math.max(...delays)).toBeLessThanOrEqual(most);
  });

  it('WH-10: the middle of chance is the schedule itself', () => {
    expect([1, 2, 3, 4, 5].map((attempt) => retryDelay(schedule, attempt, 0.5))).toEqual(schedule);
  });

  it('WH-10: jitter is a tenth either way', () => {
    expect(RETRY_JITTER).toBe(0.1);
  });

  it.each([6, 7, 0, -1])('WH-10: there is no attempt %d', (attempt) => {
    expect(retryDelay(schedule, attempt, 0.5)).toBeNull();
  });

  it('WH-10: never more than five attempts, however long the schedule', () => {
    expect(MAX_ATTEMPTS).toBe(5);
    expect(retryDelay([...schedule, 1, 1], 6, 0.5)).toBeNull();
  });
});
