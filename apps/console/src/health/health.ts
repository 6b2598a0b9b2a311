import type { Schemas } from '../http/client';
import type { Tone } from '../parts/status-badge';
import { duration } from '../parts/time';

/** How the house is. */
export type Health = Schemas['HealthResponse'];
export type HealthWorker = Schemas['WorkerHealth'];

/** A judgement: the word says what the colour does. */
export interface Verdict {
  tone: Tone;
  word: string;
  /** What it means, and what to do. */
  why?: string;
}

/** The house counts no further. */
const MOST = 10_000;

/** "1,234", "10,000+" */
export const capped = (count: number): string => `${count.toLocaleString('en')}${count === MOST ? '+' : ''}`;

/** What is due is picked up at once while there are workers enough. */
const WAITING_MS = 60_000;
const STUCK_MS = 600_000;

const good = (word: string): Verdict => ({ tone: 'good', word });
const warn = (word: string, why: string): Verdict => ({ tone: 'warn', word, why });
const bad = (word: string, why: string): Verdict => ({ tone: 'bad', word, why });

/** @param now the house's own time, ms since 1970, for all of these */
const since = (at: string | null, now: number): number =>
  at === null ? 0 : Math.max(0, now - Date.parse(at));

export function databaseVerdict({ migrations }: Health['database']): Verdict {
  if (migrations.pending === 0) return good('Operational');
  return warn(
    'Migrations pending',
    `Pending migrations: ${migrations.pending}. Apply them, for example by restarting with MIGRATE=on.`,
  );
}

export function redisVerdict(redis: Health['redis']): Verdict {
  if (redis === 'connected') return good('Operational');
  if (redis === 'not_configured') return { tone: 'calm', word: 'Not configured' };
  return warn(
    'Unreachable',
    'Gatehouse continues without Redis. Each process counts rate limits on its own.',
  );
}

export function queueVerdict({ oldestDueAt }: Health['queue'], now: number): Verdict {
  const age = since(oldestDueAt, now);
  if (age > STUCK_MS)
    return bad('Stalled', `The oldest delivery has been due for ${duration(age)}. Check the workers.`);
  if (age > WAITING_MS)
    return warn('Delayed', `The oldest delivery has been due for ${duration(age)}. Add more workers.`);
  return good('Operational');
}

export const workerVerdict = ({ alive }: HealthWorker): Verdict =>
  alive ? good('Running') : bad('Not responding', 'The worker has not reported recently.');

/** Whether there is anybody who delivers: a worker that is gone is no fault beside others. */
export function workersVerdict(workers: HealthWorker[]): Verdict {
  const alive = workers.filter((worker) => worker.alive).length;
  return alive > 0
    ? good(`${alive} running`)
    : bad('None running', 'No webhooks or emails are sent. Start a webhook-worker.');
}

/** What was given up is no fault: there are addresses that do not exist. */
export function mailVerdict({ configured, oldestPendingAt }: Health['mail'], now: number): Verdict {
  if (!configured) return { tone: 'calm', word: 'Captured in the mailbox' };
  const age = since(oldestPendingAt, now);
  if (age > STUCK_MS) return bad('Stalled', `The oldest email has been waiting for ${duration(age)}.`);
  if (age > WAITING_MS) return warn('Delayed', `The oldest email has been waiting for ${duration(age)}.`);
  return good('Operational');
}

const billings: Record<Health['billing'], string> = {
  stripe: 'Stripe',
  built_in: 'Built-in page, no provider',
  off: 'Off',
};

export const billingInWords = (billing: Health['billing']): string => billings[billing];

/** What needs somebody, the worst first. */
export function faultsOf(health: Health, now: number): { name: string; verdict: Verdict }[] {
  const all = [
    { name: 'Database', verdict: databaseVerdict(health.database) },
    { name: 'Workers', verdict: workersVerdict(health.workers) },
    { name: 'Queue', verdict: queueVerdict(health.queue, now) },
    { name: 'Redis', verdict: redisVerdict(health.redis) },
    { name: 'Email', verdict: mailVerdict(health.mail, now) },
  ];
  const of = (tone: Tone) => all.filter(({ verdict }) => verdict.tone === tone);
  return [...of('bad'), ...of('warn')];
}
