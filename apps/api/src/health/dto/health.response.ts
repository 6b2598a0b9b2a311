import { ApiProperty } from '@nestjs/swagger';
import { alertKinds, processProblemKinds, type AlertKind, type ProcessProblemKind } from '@gatehouse/domain';
import type { Database, ProcessProblemRecord, WorkerRecord } from '@gatehouse/persistence';
import { configWarnings, redisProblems, type ConfigWarning, type RedisProblem } from '@gatehouse/platform';

const cappedCount = { type: 'integer', minimum: 0, maximum: 10_000 } as const;
const nullableTime = { type: String, format: 'date-time', nullable: true } as const;

export const redisStates = ['connected', 'not_configured', ...Object.keys(redisProblems)] as (
  | 'connected'
  | 'not_configured'
  | RedisProblem
)[];
export const billingProviders = ['stripe', 'built_in', 'off'] as const;

export class MigrationsHealth {
  @ApiProperty({ type: 'integer' }) applied!: number;
  @ApiProperty({ type: 'integer' }) pending!: number;
}

export class DatabaseHealth {
  @ApiProperty({ example: '17.5', description: 'Version of PostgreSQL' }) version!: string;
  @ApiProperty({ type: MigrationsHealth }) migrations!: MigrationsHealth;
  @ApiProperty({
    description: 'True if the database role of the API process cannot change or delete audit log entries',
  })
  auditLogProtected!: boolean;
}

export const replicaStates = ['not_configured', 'in_use', 'not_in_use'] as const;

/** The read replica (DATABASE_READ_URL) that the responding process uses. */
export class ReplicaHealth {
  @ApiProperty({
    enum: replicaStates,
    description:
      '`not_in_use`: the replica is unavailable or too far behind, so lists are read from the primary',
  })
  state!: (typeof replicaStates)[number];

  @ApiProperty({
    type: 'integer',
    nullable: true,
    minimum: 0,
    description: 'Maximum replication lag in milliseconds. Null if it is unknown',
  })
  lagMs!: number | null;

  static from(replica: Database['replica']): ReplicaHealth {
    if (!replica) return { state: 'not_configured', lagMs: null };
    const lagMs = replica.lagMs === null ? null : Math.round(replica.lagMs);
    return { state: replica.isUsed ? 'in_use' : 'not_in_use', lagMs };
  }
}

export class EndpointsHealth {
  @ApiProperty({
    ...cappedCount,
    description: 'Endpoints that were disabled because every attempt had failed',
  })
  disabled!: number;
  @ApiProperty({
    ...cappedCount,
    description: 'Enabled endpoints whose attempts have all failed for an hour',
  })
  failing!: number;
}

/** Installation-wide deliveries; at most 10,000 are counted. */
export class QueueHealth {
  @ApiProperty({ ...cappedCount, description: 'Pending deliveries' }) pending!: number;
  @ApiProperty({ ...cappedCount, description: 'Deliveries that are due, excluding bulk redeliveries' })
  due!: number;
  @ApiProperty({ ...nullableTime, description: 'Due time of the oldest due delivery' })
  oldestDueAt!: string | null;
  @ApiProperty({ ...cappedCount, description: 'Deliveries that a worker is processing' }) inFlight!: number;
  @ApiProperty({ ...cappedCount, description: 'Unresolved dead letters' }) deadLetters!: number;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Number of jobs in Redis. Null if Redis is not configured or not used',
  })
  jobs!: number | null;
}

/**
 * A webhook-worker. A worker that shuts down gracefully is removed from the list; a crashed worker remains for a day.
 */
export class WorkerHealth {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ example: 'worker-1' }) host!: string;
  @ApiProperty({ example: '0.2.0' }) version!: string;
  @ApiProperty({ description: 'True if the worker has sent a heartbeat within the last 20 seconds' })
  alive!: boolean;
  @ApiProperty({ type: 'integer', minimum: 0, description: 'Attempts in progress' }) inFlight!: number;
  @ApiProperty({ format: 'date-time' }) startedAt!: string;
  @ApiProperty({ format: 'date-time' }) seenAt!: string;

  static from({ id, host, version, isAlive, inFlight, startedAt, seenAt }: WorkerRecord): WorkerHealth {
    return {
      id,
      host,
      version,
      alive: isAlive,
      inFlight,
      startedAt: startedAt.toISOString(),
      seenAt: seenAt.toISOString(),
    };
  }
}

/** A problem that a process has found within the last three minutes. */
export class ProcessProblemHealth {
  @ApiProperty({
    enum: processProblemKinds,
    description:
      '`clock_skew`: the clock of the process differs from the clock of PostgreSQL by 2 s or more; `two_writable_hosts`: more than one host in its DATABASE_URL accepts writes',
  })
  kind!: ProcessProblemKind;
  @ApiProperty({ enum: ['api', 'webhook-worker'] }) service!: ProcessProblemRecord['service'];
  @ApiProperty({ example: 'api-1', description: 'Name of the machine' }) host!: string;
  @ApiProperty({ example: '2.5 s ahead', description: 'Clock difference, or the hosts' })
  detail!: string;
  @ApiProperty({ format: 'date-time' }) since!: string;

  static from({ since, ...problem }: ProcessProblemRecord): ProcessProblemHealth {
    return { ...problem, since: since.toISOString() };
  }
}

export class MailHealth {
  @ApiProperty({ description: 'True if a mail server is configured. Without one, emails are captured' })
  configured!: boolean;
  @ApiProperty({ ...cappedCount, description: 'Emails waiting to be sent' }) pending!: number;
  @ApiProperty({ ...cappedCount, description: 'Emails of the last 30 days that could not be sent' })
  failed!: number;
  @ApiProperty({
    ...cappedCount,
    description:
      'Emails that have waited for five minutes or could not be sent, while the mail server has accepted none. 0 if only individual recipients are affected',
  })
  failing!: number;
  @ApiProperty({
    ...cappedCount,
    description: 'Emails of the last hour that were dropped because a project reached its limit',
  })
  overLimit!: number;
  @ApiProperty({ ...nullableTime, description: 'Creation time of the oldest email waiting to be sent' })
  oldestPendingAt!: string | null;
}

/**
 * Requests whose `X-Forwarded-For` is ignored, because the peer is not in TRUSTED_PROXIES. If they came through your
 * proxy, all clients share its address.
 */
export class UntrustedForwardsHealth {
  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'Number of these requests since the start of the process that sent the response',
  })
  count!: number;
  @ApiProperty({ ...nullableTime, description: 'Time of the last such request' }) lastAt!: string | null;
}

/** The installation's health. */
export class HealthResponse {
  @ApiProperty({ example: '0.2.0' }) version!: string;
  @ApiProperty({ example: '24.1.0', description: 'Version of Node.js' }) node!: string;
  @ApiProperty({ format: 'date-time', description: 'Start time of the process that sent the response' })
  startedAt!: string;
  @ApiProperty({ type: DatabaseHealth }) database!: DatabaseHealth;
  @ApiProperty({ enum: redisStates }) redis!: (typeof redisStates)[number];
  @ApiProperty({ type: QueueHealth }) queue!: QueueHealth;
  @ApiProperty({ type: ReplicaHealth }) replica!: ReplicaHealth;
  @ApiProperty({ type: EndpointsHealth }) endpoints!: EndpointsHealth;
  @ApiProperty({
    enum: alertKinds,
    isArray: true,
    description: 'Kinds of unresolved problems that have an alert',
  })
  openAlerts!: AlertKind[];
  @ApiProperty({ type: [WorkerHealth], description: 'Newest first' }) workers!: WorkerHealth[];
  @ApiProperty({ type: [ProcessProblemHealth], description: 'At most 100' })
  processProblems!: ProcessProblemHealth[];
  @ApiProperty({ type: MailHealth }) mail!: MailHealth;
  @ApiProperty({ enum: billingProviders }) billing!: (typeof billingProviders)[number];
  @ApiProperty({
    enum: Object.keys(configWarnings),
    isArray: true,
    description: 'Configuration weaknesses of the process that sent the response. Empty outside production',
  })
  warnings!: ConfigWarning[];
  @ApiProperty({ type: UntrustedForwardsHealth }) untrustedForwards!: UntrustedForwardsHealth;
}
