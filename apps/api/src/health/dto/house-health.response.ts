import { ApiProperty } from '@nestjs/swagger';
import type { WorkerRecord } from '#persistence';

const counted = { type: 'integer', minimum: 0, maximum: 10_000 } as const;
const nullableTime = { type: String, format: 'date-time', nullable: true } as const;

export const redisStates = ['connected', 'unreachable', 'not_configured'] as const;
export const billingProviders = ['stripe', 'built_in', 'off'] as const;

export class MigrationsHealth {
  @ApiProperty({ type: 'integer' }) applied!: number;
  @ApiProperty({ type: 'integer' }) pending!: number;
}

export class DatabaseHealth {
  @ApiProperty({ example: '17.5', description: 'Of PostgreSQL' }) version!: string;
  @ApiProperty({ type: MigrationsHealth }) migrations!: MigrationsHealth;
}

/** Deliveries of the whole house; at most 10,000 are counted. */
export class QueueHealth {
  @ApiProperty({ ...counted, description: 'Not ended yet' }) pending!: number;
  @ApiProperty({ ...counted, description: 'Their time has come; without those of batches' }) due!: number;
  @ApiProperty({ ...nullableTime, description: 'Since when the oldest of those has waited' })
  oldestDueAt!: string | null;
  @ApiProperty({ ...counted, description: 'In the hands of a worker' }) inFlight!: number;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Jobs in Redis; null when it does not say' })
  jobs!: number | null;
}

/** A webhook-worker. One that stops in order is gone from here; one that dies stays for a day. */
export class WorkerHealth {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ example: 'worker-1' }) host!: string;
  @ApiProperty({ example: '0.1.0' }) version!: string;
  @ApiProperty({ description: 'Whether it was heard of within 20 seconds' }) alive!: boolean;
  @ApiProperty({ type: 'integer', minimum: 0, description: 'Attempts under way' }) inFlight!: number;
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

export class MailHealth {
  @ApiProperty({ description: 'Whether there is a mail server; without one mails are kept' })
  configured!: boolean;
  @ApiProperty({ ...counted, description: 'Still to be sent' }) pending!: number;
  @ApiProperty({ ...counted, description: 'Given up within the last 30 days' }) failed!: number;
  @ApiProperty({ ...nullableTime, description: 'When the oldest of those to be sent was written' })
  oldestPendingAt!: string | null;
}

/** How the house is. */
export class HouseHealthResponse {
  @ApiProperty({ example: '0.1.0' }) version!: string;
  @ApiProperty({ example: '24.1.0', description: 'Version of Node.js' }) node!: string;
  @ApiProperty({ format: 'date-time', description: 'When the answering process started' }) startedAt!: string;
  @ApiProperty({ type: DatabaseHealth }) database!: DatabaseHealth;
  @ApiProperty({ enum: redisStates }) redis!: (typeof redisStates)[number];
  @ApiProperty({ type: QueueHealth }) queue!: QueueHealth;
  @ApiProperty({ type: [WorkerHealth], description: 'The youngest first' }) workers!: WorkerHealth[];
  @ApiProperty({ type: MailHealth }) mail!: MailHealth;
  @ApiProperty({ enum: billingProviders }) billing!: (typeof billingProviders)[number];
}
