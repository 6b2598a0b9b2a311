import type { Schemas } from '../http/client';
import { alertKindLabels } from './alert-kinds';
import { formatCappedCount } from '../components/format-capped-count';
import type { Tone } from '../components/status-badge';
import { formatDuration } from '../components/time';

export type Health = Schemas['HealthResponse'];
export type HealthWorker = Schemas['WorkerHealth'];

/** A component's status. The label conveys the same information as the color. */
export interface ComponentStatus {
  tone: Tone;
  label: string;
  /** The meaning of the status, and what to do. */
  description?: string;
}

/** Processing counts as delayed or stalled when the oldest due delivery or email is older than this, in ms. */
const DELAYED_MS = 60_000;
const STALLED_MS = 600_000;

const good = (label: string): ComponentStatus => ({ tone: 'good', label });
const warn = (label: string, description: string): ComponentStatus => ({
  tone: 'warn',
  label,
  description,
});
const bad = (label: string, description: string): ComponentStatus => ({ tone: 'bad', label, description });

/**
 * Returns the time since `at` in ms; 0 if it is null.
 * @param now the server's time, ms since 1970, in all functions of this file
 */
const elapsedMs = (at: string | null, now: number): number =>
  at === null ? 0 : Math.max(0, now - Date.parse(at));

export function databaseStatus({
  database: { migrations, auditLogProtected },
  processProblems,
}: Pick<Health, 'database' | 'processProblems'>): ComponentStatus {
  const [split] = processProblems.filter(({ kind }) => kind === 'two_writable_hosts');
  if (split) {
    return bad(
      'Two writable hosts',
      `More than one host in DATABASE_URL accepts writes: ${split.detail}. Data is being split between them. Stop PostgreSQL on the former primary at once.`,
    );
  }
  if (migrations.pending > 0) {
    return warn(
      'Migrations pending',
      `Pending migrations: ${migrations.pending}. Apply them, for example by restarting with MIGRATE=on.`,
    );
  }
  if (auditLogProtected) return good('Operational');
  return warn(
    'Audit log not protected',
    'The API’s database role can change and delete audit log entries. Use one role for migrations (MIGRATE_DATABASE_URL) and another for DATABASE_URL.',
  );
}

/** Returns the clock status for all processes. */
export function clocksStatus(problems: Health['processProblems']): ComponentStatus {
  const skewed = problems.filter(({ kind }) => kind === 'clock_skew');
  if (skewed.length === 0) return good('Operational');
  const list = skewed.map(({ service, host, detail }) => `${service} on ${host} (${detail})`).join(', ');
  return warn('Differ', `Clocks that differ from PostgreSQL’s clock: ${list}. Synchronize them with NTP.`);
}

const redisProblems: Record<
  Exclude<Health['redis'], 'connected' | 'not_configured'>,
  [label: string, remedy: string]
> = {
  unreachable: ['Unreachable', 'Check that Redis is running and that its network is reachable.'],
  read_only: ['Read-only', 'Redis is a replica: set REDIS_URL to the primary.'],
  full: ['Full', 'Increase maxmemory in Redis.'],
  cluster: ['Cluster mode is off', 'Redis is a cluster: set REDIS_CLUSTER=on.'],
  rejects_writes: ['Rejects writes', 'The log contains the error from Redis.'],
};

export function redisStatus(redis: Health['redis']): ComponentStatus {
  if (redis === 'connected') return good('Operational');
  if (redis === 'not_configured') return { tone: 'calm', label: 'Not configured' };
  const [label, remedy] = redisProblems[redis];
  return warn(
    label,
    `${remedy} Until then, deliveries continue through PostgreSQL, and each process counts rate limits on its own.`,
  );
}

export function queueStatus(
  { oldestDueAt }: Pick<Health['queue'], 'oldestDueAt'>,
  now: number,
): ComponentStatus {
  const age = elapsedMs(oldestDueAt, now);
  if (age > STALLED_MS)
    return bad('Stalled', `The oldest delivery has been due for ${formatDuration(age)}. Check the workers.`);
  if (age > DELAYED_MS)
    return warn('Delayed', `The oldest delivery has been due for ${formatDuration(age)}. Add more workers.`);
  return good('Operational');
}

export const deadLettersStatus = (count: number): ComponentStatus =>
  count === 0
    ? good('None')
    : warn(
        'Unresolved',
        count === 1
          ? '1 delivery has failed after all attempts. Redeliver or discard it; it does not expire.'
          : `${formatCappedCount(count)} deliveries have failed after all attempts. Redeliver or discard them; they do not expire.`,
      );

export function endpointsStatus({ disabled, failing }: Health['endpoints']): ComponentStatus {
  if (disabled > 0)
    return warn(
      'Disabled',
      disabled === 1
        ? '1 endpoint is disabled because all its attempts failed for days. It receives no deliveries.'
        : `${formatCappedCount(disabled)} endpoints are disabled because all their attempts failed for days. They receive no deliveries.`,
    );
  if (failing > 0)
    return warn(
      'Failing',
      `Endpoints whose attempts have all failed for an hour or longer: ${formatCappedCount(failing)}.`,
    );
  return good('Operational');
}

export function replicaStatus({ state }: Health['replica']): ComponentStatus {
  if (state === 'in_use') return good('Operational');
  if (state === 'not_configured') return { tone: 'calm', label: 'Not configured' };
  return warn(
    'Not in use',
    'The replica is unavailable or more than 10 s behind. Until it catches up, lists are read from the primary.',
  );
}

export const alertsStatus = (openAlerts: Health['openAlerts']): ComponentStatus =>
  openAlerts.length === 0
    ? good('None open')
    : warn(
        'Open',
        `Open alerts: ${openAlerts.map((kind) => alertKindLabels[kind].toLowerCase()).join(', ')}.`,
      );

export const workerStatus = ({ alive }: HealthWorker): ComponentStatus =>
  alive ? good('Running') : bad('Not responding', 'The worker has not reported recently.');

/** Returns the worker status. A stopped worker is not a problem while another worker is running. */
export function workersStatus(workers: HealthWorker[]): ComponentStatus {
  const alive = workers.filter((worker) => worker.alive).length;
  return alive > 0
    ? good(`${alive} running`)
    : bad('None running', 'No webhooks or emails are sent. Start a webhook-worker.');
}

/** Returns the email status. Single failed emails are not a problem, because some addresses do not exist. */
export function mailStatus(
  { configured, failing, oldestPendingAt, overLimit }: Health['mail'],
  now: number,
): ComponentStatus {
  if (failing > 0)
    return bad(
      'Failing',
      `The mail server is not accepting emails: ${failing === 1 ? '1 email' : `${formatCappedCount(failing)} emails`} could not be sent. Check SMTP_URL and the mail server, then send a test email.`,
    );
  const age = configured ? elapsedMs(oldestPendingAt, now) : 0;
  if (age > STALLED_MS)
    return bad('Stalled', `The oldest email has been waiting for ${formatDuration(age)}.`);
  if (overLimit > 0)
    return warn(
      'Dropping',
      `Emails dropped in the last hour because a project reached its limit: ${formatCappedCount(overLimit)}. Check the emails for automated registrations.`,
    );
  if (!configured) return { tone: 'calm', label: 'Captured in the mailbox' };
  if (age > DELAYED_MS)
    return warn('Delayed', `The oldest email has been waiting for ${formatDuration(age)}.`);
  return good('Operational');
}

/** How long the warning remains after the last request with an untrusted X-Forwarded-For header, in ms. */
const FORWARDS_MS = 3_600_000;

/**
 * Returns the status of client IPs. It is never worse than a warning, because clients can send X-Forwarded-For
 * themselves.
 */
export function clientAddressStatus(
  { count, lastAt }: Health['untrustedForwards'],
  now: number,
): ComponentStatus {
  if (lastAt === null || elapsedMs(lastAt, now) > FORWARDS_MS) return good('Operational');
  return warn(
    'Forwarded by an untrusted peer',
    `${count.toLocaleString('en')} ${count === 1 ? 'request' : 'requests'} with X-Forwarded-For came from an address outside TRUSTED_PROXIES. If this is your proxy, add its address range: all clients now share its address and its limits.`,
  );
}

const billingLabels: Record<Health['billing'], string> = {
  stripe: 'Stripe',
  built_in: 'Built-in page, no provider',
  off: 'Off',
};

export const billingLabel = (billing: Health['billing']): string => billingLabels[billing];

const configurationWarnings: Record<Health['warnings'][number], string> = {
  node_outdated: 'This version of Node.js lacks security fixes. Update Node.js.',
  smtp_unencrypted:
    'Emails may be sent unencrypted. Set SMTP_REQUIRE_TLS=on, or use smtps:// in SMTP_URL and ALERT_SMTP_URL.',
  smtp_certificate_unverified:
    'A mail server’s certificate is not verified. Remove tls.rejectUnauthorized from SMTP_URL and ALERT_SMTP_URL.',
  redis_unencrypted:
    'The connection to Redis is not encrypted. Unless the network is private to this machine, use rediss:// in REDIS_URL.',
  database_unencrypted:
    'The connection to PostgreSQL is not encrypted. Unless the network is private to this machine, add ?sslmode=verify-full to DATABASE_URL, MIGRATE_DATABASE_URL and DATABASE_READ_URL.',
};

/** Returns the configuration status, with the insecure settings that are allowed even in production. */
export function configurationStatus(warnings: Health['warnings']): ComponentStatus {
  if (warnings.length === 0) return good('Operational');
  return warn('Insecure', warnings.map((warning) => configurationWarnings[warning]).join(' '));
}

/** A component that needs attention. */
export interface HealthProblem {
  name: string;
  status: ComponentStatus;
  /** Path of the list of related records, if there is one. */
  to?: string;
}

/** Returns the problems of these components, the most severe first. */
function sortProblems(components: HealthProblem[]): HealthProblem[] {
  const withTone = (tone: Tone) => components.filter(({ status }) => status.tone === tone);
  return [...withTone('bad'), ...withTone('warn')];
}

/** Returns the components that need attention, the most severe problem first. */
export const listProblems = (health: Health, now: number): HealthProblem[] =>
  sortProblems([
    { name: 'Database', status: databaseStatus(health) },
    { name: 'Read replica', status: replicaStatus(health.replica) },
    { name: 'Workers', status: workersStatus(health.workers) },
    { name: 'Queue', status: queueStatus(health.queue, now), to: '/deliveries?state=pending' },
    { name: 'Dead letters', status: deadLettersStatus(health.queue.deadLetters), to: '/dead-letters' },
    {
      name: 'Endpoints',
      status: endpointsStatus(health.endpoints),
      to: `/endpoints?status=${health.endpoints.disabled > 0 ? 'disabled_failing' : 'failing'}`,
    },
    { name: 'Redis', status: redisStatus(health.redis) },
    { name: 'Email', status: mailStatus(health.mail, now), to: '/mails' },
    { name: 'Alerts', status: alertsStatus(health.openAlerts), to: '/health?tab=alerts' },
    { name: 'Clocks', status: clocksStatus(health.processProblems) },
    { name: 'Configuration', status: configurationStatus(health.warnings) },
    { name: 'Client addresses', status: clientAddressStatus(health.untrustedForwards, now) },
  ]);

/** Returns the delivery problems, for operators who cannot access the installation's health. */
export const listDeliveryProblems = (
  { deadLetters, pending, to }: Schemas['OverviewResponse'],
  project: string,
): HealthProblem[] => {
  const filter = project && `project_id=${project}`;
  return sortProblems([
    {
      name: 'Queue',
      status: queueStatus({ oldestDueAt: pending.oldestDueAt }, Date.parse(to)),
      to: `/deliveries?state=pending${filter && `&${filter}`}`,
    },
    {
      name: 'Dead letters',
      status: deadLettersStatus(deadLetters.waiting),
      to: `/dead-letters${filter && `?${filter}`}`,
    },
  ]);
};
