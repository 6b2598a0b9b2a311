import { setTimeout as sleep } from 'node:timers/promises';
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

  it('does not end when it is cleared', async () => {
    const deadline = new Deadline(10);
    deadline.clear();
    await sleep(30);
    expect(deadline.signal.aborted).toBe(false);
  });
});
