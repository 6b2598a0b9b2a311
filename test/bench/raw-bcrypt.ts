import { Worker } from 'node:worker_threads';
import { serve } from './child.js';

/** What a thread runs; plain text, because a thread's file would have to exist in the sources and in dist alike. */
const thread = `
  const { parentPort, workerData } = require('node:worker_threads');
  const bcrypt = require('bcrypt');
  // That of the product's threads, so that other work on the machine takes from both alike.
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

const message = <T>(worker: Worker): Promise<T> =>
  new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));

/** Comparisons a second that this many threads make with nothing around them. */
async function measure(input: { threads: number; cost: number; seconds: number }): Promise<number> {
  const { threads, cost, seconds } = input;
  const workers = Array.from(
    { length: threads },
    () => new Worker(thread, { eval: true, workerData: { cost } }),
  );
  await Promise.all(workers.map((worker) => message(worker)));
  const rates = workers.map((worker) => message<number>(worker));
  for (const worker of workers) worker.postMessage(seconds);
  const sum = (await Promise.all(rates)).reduce((total, rate) => total + rate, 0);
  await Promise.all(workers.map((worker) => worker.terminate()));
  return sum;
}

serve({ measure });
