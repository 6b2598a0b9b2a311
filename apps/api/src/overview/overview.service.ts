import { Injectable } from '@nestjs/common';
import {
  sumCounts,
  bucketsForRange,
  decodeCounts,
  type Bucket,
  type AttemptMetrics,
  type OverviewRange,
} from '@gatehouse/domain';
import { AttemptMetricsRepository, type OverviewMetrics } from '@gatehouse/persistence';
import { now } from '@gatehouse/platform';
import type { OverviewQuery } from './dto/overview.request.js';

/** How attempts went in a range, all in all and bucket by bucket. */
export interface Overview extends Omit<OverviewMetrics, 'series'> {
  range: OverviewRange;
  totals: AttemptMetrics;
  /** Every bucket of the range, oldest first, also those without an attempt. */
  series: (Bucket & { figures: AttemptMetrics })[];
}

@Injectable()
export class OverviewService {
  constructor(private readonly figures: AttemptMetricsRepository) {}

  /** Of the whole house, or of what one project has told its endpoints. Of a project that is none: nothing. */
  async get({ range = '24h', projectId }: OverviewQuery): Promise<Overview> {
    const buckets = bucketsForRange(range, now().getTime() / 1_000);
    const { series, ...rest } = await this.figures.read(projectId ?? null, buckets);
    const filled = buckets.map((bucket) => ({
      ...bucket,
      counts: sumCounts(...series.filter(({ at }) => at === bucket.at).map(({ counts }) => counts)),
    }));
    return {
      ...rest,
      range,
      totals: decodeCounts(sumCounts(...filled.map(({ counts }) => counts))),
      series: filled.map(({ counts, ...bucket }) => ({ ...bucket, figures: decodeCounts(counts) })),
    };
  }
}
