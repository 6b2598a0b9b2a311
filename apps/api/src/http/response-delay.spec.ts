import { delayResponse, deferDelays } from './response-delay.js';

/** A delay that ends when it is told to, and a log of what happened. */
function stage() {
  const log: string[] = [];
  let end!: () => void;
  const delay = new Promise<void>((resolve) => (end = resolve)).then(() => void log.push('delay ends'));
  return { log, end, delay };
}

describe('the delay of an answer', () => {
  it('is waited for at once where nothing is held', async () => {
    const { log, end, delay } = stage();
    const answered = delayResponse(delay).then(() => log.push('answered'));
    end();
    await answered;
    expect(log).toEqual(['delay ends', 'answered']);
  });

  it('is waited for after the work that holds something, whose result it hands on', async () => {
    const { log, end, delay } = stage();
    const answered = deferDelays(async () => {
      await delayResponse(delay);
      log.push('connection released');
      end();
      return 'result';
    });
    expect(await answered).toBe('result');
    expect(log).toEqual(['connection released', 'delay ends']);
  });

  it('is not waited for when the work fails', async () => {
    const { log, delay } = stage();
    const failing = deferDelays(async () => {
      await delayResponse(delay);
      throw new Error('mine');
    });
    await expect(failing).rejects.toThrow('mine');
    expect(log).toEqual([]);
  });
});
