import { Injectable } from '@nestjs/common';
import type { ManagementCaller } from '@gatehouse/auth';
import {
  bucketsForRange,
  invalidField,
  previousBuckets,
  summarizeCounts,
  summarizePrevious,
  type AttemptSummary,
  type Bucket,
  type OverviewRange,
  type AccessScope,
} from '@gatehouse/domain';
import {
  AttemptMetricsRepository,
  IdentityMetricsRepository,
  MailLogRepository,
  ProjectsRepository,
  type CappedCount,
  type IdentityCounts,
  type OverviewMetrics,
} from '@gatehouse/persistence';
import { now } from '@gatehouse/platform';
import type { OverviewQuery } from './dto/overview.request.js';

/** Maximum number of projects whose metrics are summed for an operator who is limited to organizations. */
const MAX_PROJECTS = 100;

/** Attempt metrics for a range. */
export interface Overview extends Omit<OverviewMetrics, 'series' | 'previous'>, AttemptSummary {
  range: OverviewRange;
  /** Metrics for the previous period, if they were requested and it had any attempts. */
  previous: AttemptSummary | null;
  /** Emails in all projects within the access scope that were dropped in the last hour because a project reached its limit. */
  mailsOverLimit: CappedCount;
}

/** Identity counters for a range. */
export interface IdentityOverview extends IdentityCounts {
  range: OverviewRange;
  buckets: Bucket[];
  previousBuckets: Bucket[];
}

@Injectable()
export class OverviewService {
  constructor(
    private readonly attemptMetrics: AttemptMetricsRepository,
    private readonly identityMetrics: IdentityMetricsRepository,
    private readonly projects: ProjectsRepository,
    private readonly mails: MailLogRepository,
  ) {}

  /**
   * Returns the metrics for one project, or for all projects within the caller's access scope. An unknown project has
   * no attempts.
   * @throws GatehouseError `validation_failed` if the caller is limited to organizations with too many projects
   */
  async get(
    { accessScope }: ManagementCaller,
    { range = '24h', projectId, compare }: OverviewQuery,
  ): Promise<Overview> {
    const projectIds = await this.resolveProjects(accessScope, projectId ?? null);
    const buckets = bucketsForRange(range, now().getTime() / 1_000);
    const before = previousBuckets(buckets);
    const [{ series, previous, ...rest }, mailsOverLimit] = await Promise.all([
      this.attemptMetrics.read(projectIds, buckets, compare ? before : null),
      this.mails.countOverLimit(accessScope),
    ]);
    return {
      ...rest,
      range,
      mailsOverLimit,
      ...summarizeCounts(buckets, series),
      previous: summarizePrevious(before, previous),
    };
  }

  /** Returns the sign-ups, sign-ins and failures, for the same projects as `get`. */
  async getIdentity(
    { accessScope }: ManagementCaller,
    { range = '24h', projectId, compare }: OverviewQuery,
  ): Promise<IdentityOverview> {
    const projectIds = await this.resolveProjects(accessScope, projectId ?? null);
    const buckets = bucketsForRange(range, now().getTime() / 1_000);
    const before = previousBuckets(buckets);
    const counts = await this.identityMetrics.read(projectIds, buckets, compare ? before : null);
    return { range, buckets, previousBuckets: before, ...counts };
  }

  /** Returns the projects whose metrics are summed, or null for the installation-wide metrics. */
  private async resolveProjects(
    accessScope: AccessScope,
    projectId: string | null,
  ): Promise<string[] | null> {
    if (!accessScope.organizationIds) return projectId === null ? null : [projectId];
    const ids = await this.projects.listIds(accessScope, projectId, MAX_PROJECTS + 1);
    if (ids.length <= MAX_PROJECTS) return ids;
    throw invalidField(
      'projectId',
      'required',
      `projectId is required with more than ${MAX_PROJECTS} projects`,
    );
  }
}
