import { ApiProperty } from '@nestjs/swagger';
import {
  attemptErrors,
  overviewRanges,
  percentile,
  statusClasses,
  type AttemptError,
  type AttemptMetrics,
  type OverviewRange,
  type StatusClass,
} from '@gatehouse/domain';
import type { EndpointMetrics } from '../endpoint-metrics.service.js';

const time = { format: 'date-time' } as const;
const count = { type: 'integer', minimum: 0, example: 48 } as const;
const duration = {
  type: 'integer',
  nullable: true,
  minimum: 0,
  description: 'Duration in milliseconds. null: no attempts',
  example: 130,
} as const;

class EndpointMetricsCounts {
  @ApiProperty(count) succeeded!: number;
  @ApiProperty(count) failed!: number;
  @ApiProperty(duration) p50_ms!: number | null;
  @ApiProperty(duration) p95_ms!: number | null;
  @ApiProperty(duration) p99_ms!: number | null;

  static of({ attempts, failed, durations }: AttemptMetrics): EndpointMetricsCounts {
    return {
      succeeded: attempts - failed,
      failed,
      p50_ms: percentile(durations, 0.5),
      p95_ms: percentile(durations, 0.95),
      p99_ms: percentile(durations, 0.99),
    };
  }
}

export class EndpointMetricsTotals extends EndpointMetricsCounts {
  @ApiProperty(count) attempts!: number;
}

export class EndpointMetricsPoint extends EndpointMetricsCounts {
  @ApiProperty({ ...time, description: 'Start of the bucket' }) at!: string;
}

export class EndpointMetricsStatus {
  @ApiProperty({ enum: statusClasses, description: '`none`: no response was received' })
  status!: StatusClass;
  @ApiProperty(count) count!: number;
}

export class EndpointMetricsError {
  @ApiProperty({ enum: attemptErrors }) error!: AttemptError;
  @ApiProperty(count) count!: number;
}

/** Metrics of the attempts to an endpoint that started in a range. */
export class EndpointMetricsResponse {
  @ApiProperty({ enum: overviewRanges }) range!: OverviewRange;
  @ApiProperty({ ...time, description: 'Start of the first bucket' }) from!: string;
  @ApiProperty({
    ...time,
    description:
      'End of the counted range: the current time, or an earlier time if the workers have not counted all attempts yet',
  })
  to!: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'Time from which the metrics are complete, while older attempts are still being counted. null: the metrics are complete',
  })
  complete_from!: string | null;
  @ApiProperty({ ...count, example: 900, description: 'Length of a bucket in seconds' })
  bucket_seconds!: number;
  @ApiProperty({ type: EndpointMetricsTotals }) totals!: EndpointMetricsTotals;
  @ApiProperty({
    type: [EndpointMetricsPoint],
    description: 'All buckets, including those without attempts',
  })
  series!: EndpointMetricsPoint[];
  @ApiProperty({ type: [EndpointMetricsStatus] }) by_status!: EndpointMetricsStatus[];
  @ApiProperty({ type: [EndpointMetricsError] }) by_error!: EndpointMetricsError[];

  static from({ range, to, completeFrom, totals, series }: EndpointMetrics): EndpointMetricsResponse {
    return {
      range,
      from: toTime(series[0]!.at),
      to: to.toISOString(),
      complete_from: completeFrom?.toISOString() ?? null,
      bucket_seconds: series[0]!.span,
      totals: { attempts: totals.attempts, ...EndpointMetricsCounts.of(totals) },
      series: series.map(({ at, metrics }) => ({ at: toTime(at), ...EndpointMetricsCounts.of(metrics) })),
      by_status: statusClasses.map((name) => ({ status: name, count: totals.byStatus[name] })),
      by_error: attemptErrors.map((error) => ({ error, count: totals.byError[error] })),
    };
  }
}

const toTime = (seconds: number): string => new Date(seconds * 1_000).toISOString();
