import { withTimeout } from './clock.js';

describe('withTimeout', () => {
  it('forwards a result or an error that arrives in time', async () => {
    await expect(withTimeout(Promise.resolve('done'), 10_000, 'too late')).resolves.toBe('done');
    await expect(withTimeout(Promise.reject(new Error('failed')), 10_000, 'too late')).rejects.toThrow(
      'failed',
    );
  });

  it('rejects with its own message after the timeout, and ignores a late error', async () => {
    let fail!: (error: Error) => void;
    const late = new Promise((_, reject) => (fail = reject));
    await expect(withTimeout(late, 1, 'too late')).rejects.toThrow('too late');
    fail(new Error('late'));
    await new Promise((resolve) => setImmediate(resolve));
  });
});
