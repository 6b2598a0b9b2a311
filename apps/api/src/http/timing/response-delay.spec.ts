import { delayResponse, deferDelays } from './response-delay.js';

/** Returns a delay that ends when `end` is called, and a log of events. */
function createDelay() {
  const log: string[] = [];
  let end!: () => void;
  const delay = new Promise<void>((resolve) => (end = resolve)).then(() => void log.push('delay ends'));
  return { log, end, delay };
}

describe('delayResponse', () => {
  it('waits for the delay immediately when called outside deferDelays', async () => {
    const { log, end, delay } = createDelay();
    const response = delayResponse(delay).then(() => log.push('response sent'));
    end();
    await response;
    expect(log).toEqual(['delay ends', 'response sent']);
  });

  it('waits for the delay after the work of deferDelays, and returns its result', async () => {
    const { log, end, delay } = createDelay();
    const response = deferDelays(async () => {
      await delayResponse(delay);
      log.push('connection released');
      end();
      return 'result';
    });
    expect(await response).toBe('result');
    expect(log).toEqual(['connection released', 'delay ends']);
  });

  it('does not wait for the delay when the work fails', async () => {
    const { log, delay } = createDelay();
    const failing = deferDelays(async () => {
      await delayResponse(delay);
      throw new Error('failed');
    });
    await expect(failing).rejects.toThrow('failed');
    expect(log).toEqual([]);
  });
});
