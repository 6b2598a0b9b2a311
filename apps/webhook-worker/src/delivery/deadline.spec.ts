import { jest } from '@jest/globals';
import { Deadline } from './deadline.js';

const busyFor = (ms: number): void => {
  for (const end = performance.now() + ms; performance.now() < end;);
};

describe('Deadline', () => {
  it('WH-06: ends after its time and never before, however long the turn of the event loop was', async () => {
    busyFor(30);
    const deadline = new Deadline(40);
    busyFor(20);
    await new Promise((resolve) => deadline.signal.addEventListener('abort', resolve));
    expect(deadline.elapsedMs).toBeGreaterThanOrEqual(40);
  });

  it('does not end when it is cleared', () => {
    jest.useFakeTimers();
    try {
      const [cleared, other] = [new Deadline(10_000), new Deadline(10_000)];
      cleared.clear();
      jest.advanceTimersByTime(9_999);
      expect(other.signal.aborted).toBe(false);
      jest.advanceTimersByTime(1);
      expect(other.signal.aborted).toBe(true);
      jest.runAllTimers();
      expect(cleared.signal.aborted).toBe(false);
    } finally {
      jest.useRealTimers();
    }
  });
});
