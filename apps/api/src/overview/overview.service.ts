import { Injectable } from '@nestjs/common';
import {
  sumCounts,
  bucketsForRange,
  decodeCounts,
  type Bucket,
  type AttemptMetrics,
  type OverviewRange,
} from '@gatehouse/domain';
import {
  AttemptMetricsRepository,
  MailLogRepository,
  type CappedCount,
  type OverviewMetrics,
} from '@gatehouse/persistence';
import { now } from '@gatehouse/platform';
import type { OverviewQuery } from './dto/overview.request.js';

/** Metrics of the attempts in a range: totals, and the metrics of each bucket. */
export interface Overview extends Omit<OverviewMetrics, 'series'> {
  range: OverviewRange;
  totals: AttemptMetrics;
  /** All buckets of the range, oldest first, including those without attempts. */
  series: (Bucket & { metrics: AttemptMetrics })[];
  /** Emails of all projects that were dropped within the last hour because a project reached its limit. */
  mailsOverLimit: CappedCount;
}

@Injectable()
export class OverviewService {
  constructor(
    private readonly attemptMetrics: AttemptMetricsRepository,
    private readonly mails: MailLogRepository,
  ) {}

  /** Returns the metrics of the installation or of one project. An unknown project has no attempts. */
  async get({ range = '24h', projectId }: OverviewQuery): Promise<Overview> {
    const buckets = bucketsForRange(range, now().getTime() / 1_000);
    const [{ series, ...rest }, mailsOverLimit] = await Promise.all([
      this.attemptMetrics.read(projectId ?? null, buckets),
      this.mails.countOverLimit(),
    ]);
    const filled = buckets.map((bucket) => ({
      ...bucket,
      counts: sumCounts(...series.filter(({ at }) => at === bucket.at).map(({ counts }) => counts)),
    }));
    return {
      ...rest,
      range,
      mailsOverLimit,
      totals: decodeCounts(sumCounts(...filled.map(({ counts }) => counts))),
      series: filled.map(({ counts, ...bucket }) => ({ ...bucket, metrics: decodeCounts(counts) })),
    };
  }
}
