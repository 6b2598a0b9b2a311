import { ApiProperty } from '@nestjs/swagger';
import {
  attemptErrors,
  overviewRanges,
  percentile,
  statusClasses,
  type AttemptError,
  type AttemptMetrics,
  type AttemptSummary,
  type OverviewRange,
  type StatusClass,
} from '@gatehouse/domain';
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
} from './metrics.fields.js';
import type { EndpointMetrics } from '../endpoint-metrics.service.js';

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

  static from(metrics: AttemptMetrics): EndpointMetricsTotals {
    return { attempts: metrics.attempts, ...EndpointMetricsCounts.of(metrics) };
  }
}

export class EndpointMetricsPoint extends EndpointMetricsCounts {
  @ApiProperty({ ...time, description: 'Start of the bucket' }) at!: string;

  static from({ at, metrics }: AttemptSummary['series'][number]): EndpointMetricsPoint {
    return { at: bucketTime(at), ...EndpointMetricsCounts.of(metrics) };
  }
}

/** Attempt metrics for the previous period. */
export class EndpointMetricsPrevious {
  @ApiProperty({ type: EndpointMetricsTotals }) totals!: EndpointMetricsTotals;
  @ApiProperty({ type: [EndpointMetricsPoint] }) series!: EndpointMetricsPoint[];

  static from({ totals, series }: AttemptSummary): EndpointMetricsPrevious {
    return {
      totals: EndpointMetricsTotals.from(totals),
      series: series.map((point) => EndpointMetricsPoint.from(point)),
    };
  }
}

export class EndpointMetricsStatus {
  @ApiProperty(statusClassSchema)
  status!: StatusClass;
  @ApiProperty(count) count!: number;
}

export class EndpointMetricsError {
  @ApiProperty({ enum: attemptErrors }) error!: AttemptError;
  @ApiProperty(count) count!: number;
}

/** Metrics for attempts to an endpoint that started in the range. */
export class EndpointMetricsResponse {
  @ApiProperty({ enum: overviewRanges }) range!: OverviewRange;
  @ApiProperty(rangeStartSchema) from!: string;
  @ApiProperty(rangeEndSchema('attempts'))
  to!: string;
  @ApiProperty(completeFromSchema)
  complete_from!: string | null;
  @ApiProperty(bucketLengthSchema)
  bucket_seconds!: number;
  @ApiProperty({ type: EndpointMetricsTotals }) totals!: EndpointMetricsTotals;
  @ApiProperty({
    type: [EndpointMetricsPoint],
    description: 'All buckets, including those without attempts',
  })
  series!: EndpointMetricsPoint[];
  @ApiProperty({ type: EndpointMetricsPrevious, ...previousPeriodSchema })
  previous!: EndpointMetricsPrevious | null;
  @ApiProperty({ type: [EndpointMetricsStatus] }) by_status!: EndpointMetricsStatus[];
  @ApiProperty({ type: [EndpointMetricsError] }) by_error!: EndpointMetricsError[];

  static from({
    range,
    to,
    completeFrom,
    totals,
    series,
    previous,
  }: EndpointMetrics): EndpointMetricsResponse {
    return {
      range,
      from: bucketTime(series[0]!.at),
      to: to.toISOString(),
      complete_from: completeFrom?.toISOString() ?? null,
      bucket_seconds: series[0]!.span,
      totals: EndpointMetricsTotals.from(totals),
      series: series.map((point) => EndpointMetricsPoint.from(point)),
      previous: previous && EndpointMetricsPrevious.from(previous),
      by_status: statusClasses.map((name) => ({ status: name, count: totals.byStatus[name] })),
      by_error: attemptErrors.map((error) => ({ error, count: totals.byError[error] })),
    };
  }
}
