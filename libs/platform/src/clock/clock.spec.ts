import { monotonicMs, now, withTimeout } from './clock.js';

describe('the clock', () => {
  it('tells the time, and measures without going back', () => {
    expect(Math.abs(now().getTime() - Date.now())).toBeLessThan(5_000);
    const first = monotonicMs();
    expect(monotonicMs()).toBeGreaterThanOrEqual(first);
  });
});

describe('withTimeout', () => {
  it('hands on a result and an error that come in time', async () => {
    await expect(withTimeout(Promise.resolve('done'), 10_000, 'too late')).resolves.toBe('done');
    await expect(withTimeout(Promise.reject(new Error('mine')), 10_000, 'too late')).rejects.toThrow('mine');
  });

  it('gives up with its own words', async () => {
    await expect(withTimeout(new Promise(() => undefined), 1, 'too late')).rejects.toThrow('too late');
  });

  it('lets a late error pass unheard', async () => {
    let fail!: (error: Error) => void;
    const late = new Promise((_, reject) => (fail = reject));
    await expect(withTimeout(late, 1, 'too late')).rejects.toThrow('too late');
    fail(new Error('nobody listens any more'));
    await new Promise((resolve) => setImmediate(resolve));
  });
});
