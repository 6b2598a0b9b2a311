import { jest } from '@jest/globals';
import { Deadline } from './deadline.js';

const busyFor = (ms: number): void => {
  for (const end = performance.now() + ms; performance.now() < end;);
};

describe('Deadline', () => {
  it('WH-06: never expires too early, even after a long event loop turn', async () => {
    busyFor(30);
    const started = performance.now();
    const deadline = new Deadline(40);
    busyFor(20);
    await new Promise((resolve) => deadline.signal.addEventListener('abort', resolve));
    expect(performance.now() - started).toBeGreaterThanOrEqual(40);
  });

  it('calls beforeExpiry before it expires', async () => {
    let isAbortedBefore: boolean | undefined;
    const deadline = new Deadline(0, () => (isAbortedBefore = deadline.signal.aborted));
    await new Promise((resolve) => deadline.signal.addEventListener('abort', resolve));
    expect(isAbortedBefore).toBe(false);
  });

  it('does not expire after it has been cleared', () => {
    jest.useFakeTimers();
    try {
      const [cleared, other] = [new Deadline(10_000), new Deadline(10_000)];
      cleared.clear();
      jest.advanceTimersByTime(9_999);
      expect(other.signal.aborted).toBe(false);
      jest.advanceTimersByTime(1);
      jest.advanceTimersToNextTimer(2);
      expect(other.signal.aborted).toBe(true);
      jest.runAllTimers();
      expect(cleared.signal.aborted).toBe(false);
    } finally {
      jest.useRealTimers();
    }
  });
});
