import { Worker } from 'node:worker_threads';
import { serve } from './child.js';

/** A thread's code. It is a string, because a file would be needed both in the sources and in dist. */
const thread = `
  const { parentPort, workerData } = require('node:worker_threads');
  const bcrypt = require('bcrypt');
  // The same priority as Gatehouse's hash threads, so that other load on the machine affects both equally.
  require('node:os').setPriority(10);
  const hash = bcrypt.hashSync('x'.repeat(64), workerData.cost);
  parentPort.postMessage('ready');
  parentPort.once('message', (seconds) => {
    const started = performance.now();
    let count = 0;
    while (performance.now() - started < seconds * 1000) {
      bcrypt.compareSync('x'.repeat(64), hash);
      count += 1;
    }
    parentPort.postMessage(count / ((performance.now() - started) / 1000));
  });
`;

const waitForMessage = <T>(worker: Worker): Promise<T> =>
  new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));

/** Returns the number of comparisons per second that this many threads achieve without other work. */
async function measure(input: { threads: number; cost: number; seconds: number }): Promise<number> {
  const { threads, cost, seconds } = input;
  const workers = Array.from(
    { length: threads },
    () => new Worker(thread, { eval: true, workerData: { cost } }),
  );
  await Promise.all(workers.map((worker) => waitForMessage(worker)));
  const rates = workers.map((worker) => waitForMessage<number>(worker));
  for (const worker of workers) worker.postMessage(seconds);
  const sum = (await Promise.all(rates)).reduce((total, rate) => total + rate, 0);
  await Promise.all(workers.map((worker) => worker.terminate()));
  return sum;
}

serve({ measure });
