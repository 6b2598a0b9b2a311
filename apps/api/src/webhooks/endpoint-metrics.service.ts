import { Injectable } from '@nestjs/common';
import type { ManagementCaller } from '@gatehouse/auth';
import {
  bucketsForRange,
  previousBuckets,
  summarizeCounts,
  summarizePrevious,
  type AttemptSummary,
  type OverviewRange,
} from '@gatehouse/domain';
import {
  AttemptMetricsRepository,
  WebhookEndpointsRepository,
  type AttemptSeries,
} from '@gatehouse/persistence';
import { now } from '@gatehouse/platform';
import type { EndpointMetricsQuery } from './dto/endpoint-metrics.request.js';

/** Attempt metrics for an endpoint in a range. */
export interface EndpointMetrics extends Omit<AttemptSeries, 'series' | 'previous'>, AttemptSummary {
  range: OverviewRange;
  /** Metrics for the previous period, if they were requested and it had any attempts. */
  previous: AttemptSummary | null;
}

@Injectable()
export class EndpointMetricsService {
  constructor(
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly attemptMetrics: AttemptMetricsRepository,
  ) {}

  /** @throws GatehouseError `not_found` */
  async get(
    { accessScope }: ManagementCaller,
    id: string,
    { range = '24h', compare }: EndpointMetricsQuery,
  ): Promise<EndpointMetrics> {
    const endpoint = await this.endpoints.get(accessScope, id);
    const buckets = bucketsForRange(range, now().getTime() / 1_000);
    const before = previousBuckets(buckets);
    const { series, previous, ...counted } = await this.attemptMetrics.readEndpoint(
      endpoint.id,
      buckets,
      compare ? before : null,
    );
    return {
      range,
      ...counted,
      ...summarizeCounts(buckets, series),
      previous: summarizePrevious(before, previous),
    };
  }
}
