import { Injectable } from '@nestjs/common';
import { bucketsForRange, summarizeCounts, type AttemptSummary, type OverviewRange } from '@gatehouse/domain';
import {
  AttemptMetricsRepository,
  MailLogRepository,
  type CappedCount,
  type OverviewMetrics,
} from '@gatehouse/persistence';
import { now } from '@gatehouse/platform';
import type { OverviewQuery } from './dto/overview.request.js';

/** Metrics of the attempts in a range. */
export interface Overview extends Omit<OverviewMetrics, 'series'>, AttemptSummary {
  range: OverviewRange;
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
    return { ...rest, range, mailsOverLimit, ...summarizeCounts(buckets, series) };
  }
}
