import { ApiProperty } from '@nestjs/swagger';
import {
  MAX_BATCH_SIZE,
  PLAN_TTL_HOURS,
  publicId,
  redeliveryKinds,
  redeliverySkipReasons,
  redeliveryStates,
  type SkipCounts,
} from '@gatehouse/domain';
import type { RedeliveryBatch } from '@gatehouse/persistence';
import { findActorName, type ActorNameMap } from '../../audit/actor-names.service.js';
import { publicIdSchema } from '../../http/input/text-schemas.js';

const count = { type: 'integer', minimum: 0, maximum: MAX_BATCH_SIZE } as const;

export class RefusalCountResponse {
  @ApiProperty({
    enum: redeliverySkipReasons,
    description:
      'An error code with the same meaning as in a single redelivery, or `discarded`, `already_delivered` (another delivery of the event to the endpoint succeeded) or `expired` (removed by retention)',
  })
  reason!: string;
  @ApiProperty({ type: 'integer', minimum: 1 }) count!: number;

  static from(counts: SkipCounts): RefusalCountResponse[] {
    return redeliverySkipReasons.flatMap((reason) => {
      const found = counts[reason];
      return found ? [{ reason, count: found }] : [];
    });
  }
}

export class RedeliveryProgressResponse {
  @ApiProperty({ ...count, description: 'Deliveries that have not been created yet' }) remaining!: number;
  @ApiProperty({
    ...count,
    description: 'New deliveries created so far: the sum of `pending`, `succeeded`, `failed` and `cancelled`',
  })
  made!: number;
  @ApiProperty(count) pending!: number;
  @ApiProperty(count) succeeded!: number;
  @ApiProperty(count) failed!: number;
  @ApiProperty(count) cancelled!: number;
  @ApiProperty({
    type: [RefusalCountResponse],
    description: 'Deliveries that were no longer eligible when they were processed, by reason',
  })
  skipped!: RefusalCountResponse[];
}

/** A bulk redelivery, or an endpoint's recovery. */
export class RedeliveryResponse {
  @ApiProperty(publicIdSchema('redelivery')) id!: string;
  @ApiProperty({ enum: redeliveryKinds }) kind!: string;
  @ApiProperty({ enum: redeliveryStates }) state!: string;
  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'Null if the redelivery may include deliveries in several projects',
  })
  project_id!: string | null;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Filter of the request. For a recovery: `endpoint_id`, `since` and `until`',
  })
  filter!: Record<string, unknown>;
  @ApiProperty({ type: String, nullable: true }) reason!: string | null;
  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'Deliveries that matched the filter when the plan was created',
  })
  total!: number;
  @ApiProperty({
    ...count,
    description:
      'Matching deliveries that will be redelivered. The selection is fixed, except that starting with `enable_endpoint` adds deliveries to disabled endpoints',
  })
  eligible!: number;
  @ApiProperty({
    type: [RefusalCountResponse],
    description: 'Matching deliveries that cannot be redelivered, by reason',
  })
  not_eligible!: RefusalCountResponse[];
  @ApiProperty({ type: RedeliveryProgressResponse }) progress!: RedeliveryProgressResponse;
  @ApiProperty({ example: 'key:019aa2c0-7d1e-7000-8000-000000000000' }) created_by!: string;
  @ApiProperty({ type: String, nullable: true }) started_by!: string | null;
  @ApiProperty({ type: String, nullable: true }) cancelled_by!: string | null;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: `Time until which a plan can be started: ${PLAN_TTL_HOURS} hours after its creation`,
  })
  expires_at!: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) started_at!: string | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Completion time: all deliveries have been created and none is pending',
  })
  finished_at!: string | null;

  static from(batch: RedeliveryBatch): RedeliveryResponse {
    const { pending = 0, succeeded = 0, failed = 0, cancelled = 0 } = batch.results;
    return {
      id: publicId('redelivery', batch.id),
      kind: batch.kind,
      state: batch.state,
      project_id: batch.projectId,
      filter: batch.filter,
      reason: batch.reason,
      total: batch.total,
      eligible: batch.eligible,
      not_eligible: RefusalCountResponse.from(batch.notEligible),
      progress: {
        remaining: batch.waiting,
        made: batch.created,
        pending,
        succeeded,
        failed,
        cancelled,
        skipped: RefusalCountResponse.from(batch.skipped),
      },
      created_by: batch.createdBy,
      started_by: batch.startedBy,
      cancelled_by: batch.cancelledBy,
      created_at: batch.createdAt.toISOString(),
      expires_at: batch.expiresAt?.toISOString() ?? null,
      started_at: batch.startedAt?.toISOString() ?? null,
      finished_at: batch.finishedAt?.toISOString() ?? null,
    };
  }
}

const actorNameField = {
  type: String,
  nullable: true,
  description:
    'Email address of the operator, or name of the key. Null if the operator or key no longer exists',
};

/** A bulk redelivery, as returned to operators, with the names of the actors. */
export class NamedRedeliveryResponse extends RedeliveryResponse {
  @ApiProperty(actorNameField) created_by_name!: string | null;
  @ApiProperty(actorNameField) started_by_name!: string | null;
  @ApiProperty(actorNameField) cancelled_by_name!: string | null;

  static withNames(batch: RedeliveryBatch, names: ActorNameMap): NamedRedeliveryResponse {
    return {
      ...RedeliveryResponse.from(batch),
      created_by_name: findActorName(names, batch.createdBy),
      started_by_name: findActorName(names, batch.startedBy),
      cancelled_by_name: findActorName(names, batch.cancelledBy),
    };
  }
}
