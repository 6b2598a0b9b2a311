import type { Schemas } from '../http/client';
import type { Tone } from '../parts/status-badge';
import { formatDuration } from '../parts/time';

/** How the house is. */
export type Health = Schemas['HealthResponse'];
export type HealthWorker = Schemas['WorkerHealth'];

/** A judgement: the word says what the colour does. */
export interface ComponentStatus {
  tone: Tone;
  label: string;
  /** What it means, and what to do. */
  description?: string;
}

/** The house counts no further. */
const MAX_COUNT = 10_000;

/** "1,234", "10,000+" */
export const formatCappedCount = (count: number): string =>
  `${count.toLocaleString('en')}${count === MAX_COUNT ? '+' : ''}`;

/** What is due is picked up at once while there are workers enough. */
const DELAYED_MS = 60_000;
const STALLED_MS = 600_000;

const good = (word: string): ComponentStatus => ({ tone: 'good', label: word });
const warn = (word: string, why: string): ComponentStatus => ({
  tone: 'warn',
  label: word,
  description: why,
});
const bad = (word: string, why: string): ComponentStatus => ({ tone: 'bad', label: word, description: why });

/** @param now the house's own time, ms since 1970, for all of these */
const elapsedMs = (at: string | null, now: number): number =>
  at === null ? 0 : Math.max(0, now - Date.parse(at));

export function databaseStatus({ migrations }: Health['database']): ComponentStatus {
  if (migrations.pending === 0) return good('Operational');
  return warn(
    'Migrations pending',
    `Pending migrations: ${migrations.pending}. Apply them, for example by restarting with MIGRATE=on.`,
  );
}

export function redisStatus(redis: Health['redis']): ComponentStatus {
  if (redis === 'connected') return good('Operational');
  if (redis === 'not_configured') return { tone: 'calm', label: 'Not configured' };
  return warn(
    'Unreachable',
    'Gatehouse continues without Redis. Each process counts rate limits on its own.',
  );
}

export function queueStatus({ oldestDueAt }: Health['queue'], now: number): ComponentStatus {
  const age = elapsedMs(oldestDueAt, now);
  if (age > STALLED_MS)
    return bad('Stalled', `The oldest delivery has been due for ${formatDuration(age)}. Check the workers.`);
  if (age > DELAYED_MS)
    return warn('Delayed', `The oldest delivery has been due for ${formatDuration(age)}. Add more workers.`);
  return good('Operational');
}

export const workerStatus = ({ alive }: HealthWorker): ComponentStatus =>
  alive ? good('Running') : bad('Not responding', 'The worker has not reported recently.');

/** Whether there is anybody who delivers: a worker that is gone is no fault beside others. */
export function workersStatus(workers: HealthWorker[]): ComponentStatus {
  const alive = workers.filter((worker) => worker.alive).length;
  return alive > 0
    ? good(`${alive} running`)
    : bad('None running', 'No webhooks or emails are sent. Start a webhook-worker.');
}

/** What was given up is no fault: there are addresses that do not exist. */
export function mailStatus({ configured, oldestPendingAt }: Health['mail'], now: number): ComponentStatus {
  if (!configured) return { tone: 'calm', label: 'Captured in the mailbox' };
  const age = elapsedMs(oldestPendingAt, now);
  if (age > STALLED_MS)
    return bad('Stalled', `The oldest email has been waiting for ${formatDuration(age)}.`);
  if (age > DELAYED_MS)
    return warn('Delayed', `The oldest email has been waiting for ${formatDuration(age)}.`);
  return good('Operational');
}

const billingLabels: Record<Health['billing'], string> = {
  stripe: 'Stripe',
  built_in: 'Built-in page, no provider',
  off: 'Off',
};

export const billingLabel = (billing: Health['billing']): string => billingLabels[billing];

/** What needs somebody, the worst first. */
export function listProblems(health: Health, now: number): { name: string; status: ComponentStatus }[] {
  const all = [
    { name: 'Database', status: databaseStatus(health.database) },
    { name: 'Workers', status: workersStatus(health.workers) },
    { name: 'Queue', status: queueStatus(health.queue, now) },
    { name: 'Redis', status: redisStatus(health.redis) },
    { name: 'Email', status: mailStatus(health.mail, now) },
  ];
  const of = (tone: Tone) => all.filter(({ status }) => status.tone === tone);
  return [...of('bad'), ...of('warn')];
}
