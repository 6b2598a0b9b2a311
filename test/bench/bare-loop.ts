import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import axios from 'axios';
import { Queue, Worker, type Job } from 'bullmq';
import { Redis } from 'ioredis';
import { serve } from './child.js';

/** A minimal job queue and its target: the baseline without Gatehouse and its log. */
export interface BareLoop {
  redisUrl: string;
  url: string;
  body: string;
  concurrency: number;
}

const QUEUE = 'bare';
const ADD_AT_ONCE = 500;
const options = { removeOnComplete: true, removeOnFail: true };

const client = axios.create({ httpAgent: new Agent({ keepAlive: true }), validateStatus: () => true });

const connect = (url: string): Redis => new Redis(url, { maxRetriesPerRequest: null });

function startWorker({ redisUrl, concurrency }: BareLoop, onDone: (job: Job) => void): () => Promise<void> {
  const connection = connect(redisUrl);
  const handle = async (job: Job<{ url: string; body: string; id: string }>): Promise<void> => {
    const { url, body, id } = job.data;
    await client.post(url, body, { headers: { 'content-type': 'application/json', 'webhook-id': id } });
    onDone(job);
  };
  const worker = new Worker(QUEUE, handle, { connection, concurrency, skipVersionCheck: true });
  worker.on('error', () => undefined);
  return async () => {
    await worker.close();
    connection.disconnect();
  };
}

/** Drains a backlog. @returns jobs per second, not counting the first `warmUp` jobs */
async function drain(loop: BareLoop & { total: number; warmUp: number }): Promise<number> {
  const { redisUrl, url, body, total, warmUp } = loop;
  const connection = connect(redisUrl);
  const queue = new Queue(QUEUE, { connection, skipVersionCheck: true });
  for (let first = 0; first < total; first += ADD_AT_ONCE) {
    const indexes = Array.from({ length: Math.min(ADD_AT_ONCE, total - first) }, (_, index) => first + index);
    await queue.addBulk(
      indexes.map((index) => ({ name: 'deliver', data: { url, body, id: `${index}` }, opts: options })),
    );
  }
  let done = 0;
  let warmAt = 0;
  let stop: () => Promise<void> = async () => undefined;
  await new Promise<void>((resolve) => {
    stop = startWorker(loop, () => {
      done += 1;
      if (done === warmUp) warmAt = performance.now();
      if (done === total) resolve();
    });
  });
  const perSecond = ((total - warmUp) * 1000) / (performance.now() - warmAt);
  await stop();
  await queue.close();
  connection.disconnect();
  return perSecond;
}

/**
 * Adds jobs at a steady rate.
 * @returns each job's id and the time when Redis accepted it, in ms since 1970
 */
async function pace(loop: BareLoop & { perSecond: number; seconds: number }): Promise<[string, number][]> {
  const { redisUrl, url, body, perSecond, seconds } = loop;
  const connection = connect(redisUrl);
  const queue = new Queue(QUEUE, { connection, skipVersionCheck: true });
  const total = perSecond * seconds;
  const added: Promise<[string, number]>[] = [];
  let done = 0;
  const stop = startWorker(loop, () => (done += 1));
  const started = performance.now();
  while (added.length < total) {
    const due = Math.min(total, Math.floor(((performance.now() - started) * perSecond) / 1000) + 1);
    while (added.length < due) added.push(add(queue, { url, body, id: `paced-${added.length}` }));
    await sleep(1);
  }
  const result = await Promise.all(added);
  while (done < total) await sleep(10);
  await stop();
  await queue.close();
  connection.disconnect();
  return result;
}

async function add(queue: Queue, data: { url: string; body: string; id: string }): Promise<[string, number]> {
  await queue.add('deliver', data, options);
  return [data.id, performance.timeOrigin + performance.now()];
}

serve({ drain, pace });
