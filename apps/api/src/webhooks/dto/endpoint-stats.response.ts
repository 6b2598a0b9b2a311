import { ApiProperty } from '@nestjs/swagger';
import { publicId } from '@gatehouse/domain';
import { MAX_STATS_ATTEMPTS } from '@gatehouse/persistence';
import type { EndpointStatsResult } from '../endpoint-stats.service.js';
import { statsWindows, type StatsWindow } from './endpoint-stats.request.js';
import { publicIdSchema } from '../../http/input/text-schemas.js';

const nullableTime = { type: String, format: 'date-time', nullable: true };

/** Statistics for attempts to an endpoint. */
export class EndpointStatsResponse {
  @ApiProperty(publicIdSchema('endpoint')) endpoint_id!: string;
  @ApiProperty({ enum: statsWindows }) window!: StatsWindow;

  @ApiProperty({
    format: 'date-time',
    description: 'Start of the counted time range: the start of the window, or later if `truncated` is true',
  })
  since!: string;

  @ApiProperty({
    description: `True if the window contains more than ${MAX_STATS_ATTEMPTS} attempts: only the newest are counted`,
    example: false,
  })
  truncated!: boolean;

  @ApiProperty({ type: 'integer', maximum: MAX_STATS_ATTEMPTS, example: 48 }) attempts!: number;
  @ApiProperty({ type: 'integer', example: 47 }) succeeded!: number;
  @ApiProperty({ type: 'integer', example: 1 }) failed!: number;

  @ApiProperty({
    type: Number,
    nullable: true,
    minimum: 0,
    maximum: 1,
    format: 'double',
    description: 'succeeded / attempts. Null if there are no attempts',
    example: 0.979,
  })
  success_rate!: number | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Median duration in milliseconds',
    example: 48,
  })
  p50_duration_ms!: number | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: '95th percentile of the duration in milliseconds',
    example: 130,
  })
  p95_duration_ms!: number | null;

  @ApiProperty({
    ...nullableTime,
    description: 'Time of the last successful attempt, regardless of the window. Delayed by a few seconds',
  })
  last_success_at!: string | null;

  @ApiProperty({
    ...nullableTime,
    description: 'Time of the last failed attempt, regardless of the window. Delayed by a few seconds',
  })
  last_failure_at!: string | null;

  @ApiProperty({
    ...nullableTime,
    description: 'Time of the first failure since the last success. Null if the endpoint is not failing',
  })
  failing_since!: string | null;

  static from({ endpoint, window, start, stats }: EndpointStatsResult): EndpointStatsResponse {
    const truncated = stats.attempts === MAX_STATS_ATTEMPTS;
    return {
      endpoint_id: publicId('endpoint', endpoint.id),
      window,
      since: ((truncated && stats.oldestAt) || start).toISOString(),
      truncated,
      attempts: stats.attempts,
      succeeded: stats.succeeded,
      failed: stats.attempts - stats.succeeded,
      success_rate: stats.attempts === 0 ? null : stats.succeeded / stats.attempts,
      p50_duration_ms: stats.p50DurationMs,
      p95_duration_ms: stats.p95DurationMs,
      last_success_at: stats.lastSuccessAt?.toISOString() ?? null,
      last_failure_at: stats.lastFailureAt?.toISOString() ?? null,
      failing_since: stats.failingSince?.toISOString() ?? null,
    };
  }
}
