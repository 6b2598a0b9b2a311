import { ApiProperty } from '@nestjs/swagger';
import {
  alertChannels,
  alertLogKinds,
  alertLogStates,
  alertOutcomes,
  type AlertChannel,
  type AlertLogKind,
  type AlertLogState,
  type AlertOutcome,
} from '@gatehouse/domain';
import type { AlertLogEntryEntity } from '@gatehouse/persistence';

const nullableTime = { type: String, format: 'date-time', nullable: true } as const;

export class AlertResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ enum: alertLogKinds }) kind!: AlertLogKind;
  @ApiProperty({ enum: alertChannels }) channel!: AlertChannel;
  @ApiProperty({
    enum: alertLogStates,
    description:
      '`open`: the alert reports a problem. `over`: it reports the end of a problem. `test`: a test alert',
  })
  state!: AlertLogState;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    minimum: 1,
    maximum: 1_000,
    description: 'Number of problems, at most 1,000. Null unless the state is `open`',
    example: 3,
  })
  count!: number | null;

  @ApiProperty({
    enum: alertOutcomes,
    description:
      '`queued`: a worker has not sent the test yet. `failed`: a worker retries the alert, unless it is a test',
  })
  outcome!: AlertOutcome;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Reason why the last attempt failed',
    example: 'ALERT_WEBHOOK_URL responded with status 404',
  })
  reason!: string | null;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'Number of attempts to send the alert',
    example: 1,
  })
  attempts!: number;

  @ApiProperty({ format: 'date-time' }) createdAt!: string;
  @ApiProperty({ format: 'date-time', description: 'Time of the last attempt' }) attemptedAt!: string;
  @ApiProperty({ ...nullableTime, description: 'Time at which the end of the problem was reported' })
  resolvedAt!: string | null;

  static from(entry: AlertLogEntryEntity): AlertResponse {
    const { id, kind, channel, state, count, outcome, reason, attempts } = entry;
    return {
      id,
      kind,
      channel,
      state,
      count,
      outcome,
      reason,
      attempts,
      createdAt: entry.createdAt.toISOString(),
      attemptedAt: entry.attemptedAt.toISOString(),
      resolvedAt: entry.resolvedAt?.toISOString() ?? null,
    };
  }
}

/** The newest alerts. */
export class AlertListResponse {
  @ApiProperty({ type: [AlertResponse], description: 'Newest first, at most 50' }) data!: AlertResponse[];

  static from(entries: AlertLogEntryEntity[]): AlertListResponse {
    return { data: entries.map((entry) => AlertResponse.from(entry)) };
  }
}
