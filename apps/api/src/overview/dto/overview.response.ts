import { ApiProperty } from '@nestjs/swagger';
import {
  attemptErrors,
  overviewRanges,
  percentile,
  publicId,
  statusClasses,
  type AttemptError,
  type AttemptMetrics,
  type AttemptSummary,
  type OverviewRange,
  type StatusClass,
} from '@gatehouse/domain';
import type { EndpointBreakdown } from '@gatehouse/persistence';
import { CountResponse } from '../../http/lists/count.response.js';
import {
  bucketLengthSchema,
  bucketTime,
  completeFromSchema,
  countSchema as count,
  durationSchema as duration,
  previousPeriodSchema,
  rangeEndSchema,
  rangeStartSchema,
  statusClassSchema,
  timeSchema as time,
} from '../../webhooks/dto/metrics.fields.js';
import { publicIdSchema, urlSchema } from '../../http/input/text-schemas.js';
import type { Overview } from '../overview.service.js';

const nullableTime = { type: String, format: 'date-time', nullable: true } as const;
const rate = {
  type: Number,
  nullable: true,
  minimum: 0,
  maximum: 1,
  format: 'double',
  description: 'succeeded / attempts. Null if there are no attempts',
  example: 0.979,
} as const;

const successRate = ({ attempts, failed }: { attempts: number; failed: number }): number | null =>
  attempts === 0 ? null : (attempts - failed) / attempts;

export class OverviewTotals {
  @ApiProperty(count) attempts!: number;
  @ApiProperty(count) succeeded!: number;
  @ApiProperty(count) failed!: number;
  @ApiProperty(rate) successRate!: number | null;
  @ApiProperty(duration) p50Ms!: number | null;
  @ApiProperty(duration) p95Ms!: number | null;

  static from(metrics: AttemptMetrics): OverviewTotals {
    return {
      attempts: metrics.attempts,
      succeeded: metrics.attempts - metrics.failed,
      failed: metrics.failed,
      successRate: successRate(metrics),
      p50Ms: percentile(metrics.durations, 0.5),
      p95Ms: percentile(metrics.durations, 0.95),
    };
  }
}

export class OverviewDeadLetters {
  @ApiProperty({ ...count, maximum: 10_000, description: 'Number of dead letters, counted up to 10,000' })
  waiting!: number;
  @ApiProperty({ description: 'True if there are more than 10,000' }) isMore!: boolean;
  @ApiProperty({
    ...nullableTime,
    description: 'Time at which the last attempt of the oldest dead letter failed',
  })
  oldestAt!: string | null;
}

export class OverviewPending {
  @ApiProperty({
    ...count,
    maximum: 10_000,
    description: 'Number of pending deliveries, counted up to 10,000',
  })
  count!: number;
  @ApiProperty({ description: 'True if there are more than 10,000' }) isMore!: boolean;
  @ApiProperty({
    ...nullableTime,
    description: 'Due time of the oldest due delivery. Null if no delivery is due',
  })
  oldestDueAt!: string | null;
}

export class OverviewPoint {
  @ApiProperty({ ...time, description: 'Start of the bucket' }) at!: string;
  @ApiProperty(count) succeeded!: number;
  @ApiProperty(count) failed!: number;
  @ApiProperty(duration) p95Ms!: number | null;

  static from({ at, metrics }: AttemptSummary['series'][number]): OverviewPoint {
    return {
      at: bucketTime(at),
      succeeded: metrics.attempts - metrics.failed,
      failed: metrics.failed,
      p95Ms: percentile(metrics.durations, 0.95),
    };
  }
}

/** Attempt metrics for the previous period. */
export class OverviewPrevious {
  @ApiProperty({ type: OverviewTotals }) totals!: OverviewTotals;
  @ApiProperty({ type: [OverviewPoint] }) series!: OverviewPoint[];

  static from({ totals, series }: AttemptSummary): OverviewPrevious {
    return {
      totals: OverviewTotals.from(totals),
      series: series.map((point) => OverviewPoint.from(point)),
    };
  }
}

export class OverviewStatus {
  @ApiProperty(statusClassSchema) status!: StatusClass;
  @ApiProperty(count) count!: number;
}

export class OverviewError {
  @ApiProperty({ enum: attemptErrors }) error!: AttemptError;
  @ApiProperty(count) count!: number;
}

export class OverviewEvent {
  @ApiProperty({ example: 'customer.created' }) event!: string;
  @ApiProperty(count) attempts!: number;
  @ApiProperty(count) failed!: number;
}

export class OverviewEndpoint {
  @ApiProperty(publicIdSchema('endpoint')) endpointId!: string;
  @ApiProperty({ example: 'example.com' }) name!: string;
  @ApiProperty({ ...urlSchema, example: 'https://example.com/hooks' }) url!: string;
  @ApiProperty({ type: String, format: 'uuid', nullable: true }) projectId!: string | null;
  @ApiProperty(count) attempts!: number;
  @ApiProperty(count) failed!: number;
  @ApiProperty(rate) successRate!: number | null;

  static from(endpoint: EndpointBreakdown): OverviewEndpoint {
    return {
      endpointId: publicId('endpoint', endpoint.endpointId),
      name: endpoint.name,
      url: endpoint.url,
      projectId: endpoint.projectId,
      attempts: endpoint.attempts,
      failed: endpoint.failed,
      successRate: successRate(endpoint),
    };
  }
}

/** Metrics for attempts that started in the range, with the current dead letters and pending deliveries. */
export class OverviewResponse {
  @ApiProperty({ enum: overviewRanges }) range!: OverviewRange;
  @ApiProperty(rangeStartSchema) from!: string;
  @ApiProperty(rangeEndSchema('attempts'))
  to!: string;

  @ApiProperty(completeFromSchema)
  completeFrom!: string | null;

  @ApiProperty(bucketLengthSchema)
  bucketSeconds!: number;
  @ApiProperty({ type: OverviewTotals }) totals!: OverviewTotals;
  @ApiProperty({ type: OverviewDeadLetters }) deadLetters!: OverviewDeadLetters;
  @ApiProperty({ type: OverviewPending }) pending!: OverviewPending;
  @ApiProperty({ type: [OverviewPoint], description: 'All buckets, including those without attempts' })
  series!: OverviewPoint[];

  @ApiProperty({ type: OverviewPrevious, ...previousPeriodSchema }) previous!: OverviewPrevious | null;

  @ApiProperty({ type: [OverviewStatus] }) byStatus!: OverviewStatus[];
  @ApiProperty({ type: [OverviewError] }) byError!: OverviewError[];
  @ApiProperty({ type: [OverviewEvent], description: 'Event types with the most attempts, at most ten' })
  byEvent!: OverviewEvent[];
  @ApiProperty({
    type: [OverviewEndpoint],
    description: 'Endpoints with the most failed attempts, at most ten',
  })
  worstEndpoints!: OverviewEndpoint[];

  @ApiProperty({
    type: CountResponse,
    description:
      'Emails of all projects that were dropped within the last hour because a project reached its limit',
  })
  mailsOverLimit!: CountResponse;

  static from({ range, to, completeFrom, totals, series, ...rest }: Overview): OverviewResponse {
    const { deadLetters, pending, mailsOverLimit } = rest;
    return {
      range,
      from: bucketTime(series[0]!.at),
      to: to.toISOString(),
      completeFrom: completeFrom?.toISOString() ?? null,
      bucketSeconds: series[0]!.span,
      totals: OverviewTotals.from(totals),
      deadLetters: {
        waiting: deadLetters.count,
        isMore: deadLetters.isMore,
        oldestAt: deadLetters.oldestAt?.toISOString() ?? null,
      },
      pending: {
        count: pending.count,
        isMore: pending.isMore,
        oldestDueAt: pending.oldestDueAt?.toISOString() ?? null,
      },
      series: series.map((point) => OverviewPoint.from(point)),
      previous: rest.previous && OverviewPrevious.from(rest.previous),
      byStatus: statusClasses.map((status) => ({ status, count: totals.byStatus[status] })),
      byError: attemptErrors.map((error) => ({ error, count: totals.byError[error] })),
      byEvent: rest.byEvent.map(({ event, attempts, failed }) => ({ event, attempts, failed })),
      worstEndpoints: rest.worstEndpoints.map((endpoint) => OverviewEndpoint.from(endpoint)),
      mailsOverLimit: CountResponse.from(mailsOverLimit),
    };
  }
}
