// Raw SQL: aggregates that are read from a single snapshot.
import { coveringBuckets, type Bucket } from '@gatehouse/domain';
import type { Transactions, Tx } from '../database/transactions.js';
import {
  dynamicStatement,
  integer,
  jsonb,
  nullable,
  statement,
  timestamptz,
  uuid,
} from '../sql/statements.js';
import { minIdAt, NIL_UUID, parseIdTime, type IdRange } from '../sql/uuid-v7.js';
import { SYSTEM_SCOPE_ID, useIndexScans } from './attempt-count-sql.js';
import {
  ENDPOINT_METRICS_QUERY,
  SYSTEM_METRICS_QUERY,
  PROJECT_METRICS_QUERY,
  PROJECTS_METRICS_QUERY,
  MAX_LIVE_ATTEMPTS,
  MAX_STARTED_AT_SKEW_MS,
} from './metrics-query.js';
import { readOverviewBacklog, type OverviewBacklog } from './overview-backlog.js';
import { readPreviousPeriod, type BucketCounts } from './previous-period.js';
import { logStartTime } from './retained-rollups.js';

export interface EventBreakdown {
  event: string;
  attempts: number;
  failed: number;
}

export interface EndpointBreakdown {
  endpointId: string;
  name: string;
  url: string;
  /** Endpoint's project; null for an organization-level endpoint. */
  projectId: string | null;
  attempts: number;
  failed: number;
}

/** Attempt counts since the first bucket's start, from one snapshot. */
export interface AttemptSeries {
  /** Time up to which attempts are counted. */
  to: Date;
  /**
   * Start of the fully counted range while older attempts are still being rolled up; null if the series is complete.
   */
  completeFrom: Date | null;
  /** Counters for the buckets that have attempts, unsorted. A bucket can have several entries, which add up. */
  series: BucketCounts[];
  /** Counts for the previous period; null if not requested or not completely rolled up. */
  previous: BucketCounts[] | null;
}

/** Metrics for the installation or for projects. */
export interface OverviewMetrics extends AttemptSeries, OverviewBacklog {
  /** Event types with the most attempts. */
  byEvent: EventBreakdown[];
  /** Endpoints with the most failed attempts. */
  worstEndpoints: EndpointBreakdown[];
}

/**
 * Uses one snapshot for the whole transaction. Otherwise, attempts that are rolled up between two statements would be
 * missed or counted twice.
 */
export const useOneSnapshot = statement({}, 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');

const findProgress = statement(
  { firstId: uuid, nextId: uuid, endpointFirstId: uuid, endpointNextId: uuid, now: timestamptz },
  `SELECT first_id AS "firstId", next_id AS "nextId", endpoint_first_id AS "endpointFirstId",
     endpoint_next_id AS "endpointNextId", statement_timestamp() AS now
   FROM attempts_counted`,
);

const seriesRow = {
  liveCount: integer,
  /** Start time of the newest attempt that was counted live. */
  liveTo: nullable(timestamptz),
  series: jsonb<BucketCounts[]>(),
};

const startTimes = (buckets: Bucket[]): Date[] => buckets.map(({ at }) => new Date(at * 1_000));

/** Returns the series query's parameters. @param nextId first id that is not rolled up */
function seriesValues(scopeIds: string[], buckets: Bucket[], nextId: string): unknown[] {
  const [first, last] = [buckets[0]!, buckets.at(-1)!];
  const minId = minIdAt(first.at * 1_000 - MAX_STARTED_AT_SKEW_MS);
  return [
    scopeIds,
    first.span,
    startTimes(buckets),
    nextId > minId ? nextId : minId,
    new Date(first.at * 1_000),
    new Date((last.at + last.span) * 1_000),
  ];
}

function chooseMetricsQuery(projectIds: string[] | null): string {
  if (!projectIds) return SYSTEM_METRICS_QUERY;
  return projectIds.length === 1 ? PROJECT_METRICS_QUERY : PROJECTS_METRICS_QUERY;
}

// The statement is not prepared, because the plan depends on the number of attempts from `nextId` on.

const readMetrics = dynamicStatement(
  {
    ...seriesRow,
    byEvent: jsonb<EventBreakdown[]>(),
    worstEndpoints: jsonb<EndpointBreakdown[]>(),
  },
  (projectIds: string[] | null, buckets: Bucket[], nextId: string) => {
    const last = buckets.at(-1)!;
    const covering = coveringBuckets(buckets[0]!, last.at + last.span - 1);
    return {
      text: chooseMetricsQuery(projectIds),
      values: [
        ...seriesValues(projectIds ?? [SYSTEM_SCOPE_ID], buckets, nextId),
        covering.map(({ span }) => span),
        startTimes(covering),
      ],
    };
  },
  [
    [null, [{ span: 60, at: 0 }], NIL_UUID],
    [[NIL_UUID], [{ span: 60, at: 0 }], NIL_UUID],
    [[NIL_UUID, NIL_UUID], [{ span: 60, at: 0 }], NIL_UUID],
  ],
);

const readEndpointSeries = dynamicStatement(
  seriesRow,
  (endpointId: string, buckets: Bucket[], nextId: string) => ({
    text: ENDPOINT_METRICS_QUERY,
    values: seriesValues([endpointId], buckets, nextId),
  }),
  [[NIL_UUID, [{ span: 60, at: 0 }], NIL_UUID]],
);

/**
 * Metrics for the installation, projects or an endpoint. They combine the workers' rollups with live counts of newer
 * attempts, so that reads take the same time regardless of the log's length.
 */
export class AttemptMetricsRepository {
  /** Creates the repository. @param retentionMs log retention */
  constructor(
    private readonly transactions: Transactions,
    private readonly retentionMs: number,
  ) {}

  /**
   * Reads the metrics.
   * @param projectIds projects to add up; null for the installation
   * @param range consecutive buckets of equal length, up to now; buckets before the log's start are ignored
   * @param previous buckets for the previous period, or null to omit it
   */
  read(
    projectIds: string[] | null,
    range: Bucket[],
    previous: Bucket[] | null = null,
  ): Promise<OverviewMetrics> {
    const buckets = this.retainedBuckets(range);
    return this.transactions.run(async (tx) => {
      const { firstId, nextId, now } = await startReading(tx);
      const counted = { from: firstId, to: nextId };
      const [row] = await tx.execute(readMetrics(projectIds, buckets, nextId));
      const { liveCount, liveTo, ...metrics } = row!;
      return {
        ...metrics,
        ...countedRange(buckets, firstId, liveCount, liveTo, now),
        previous: await this.readPrevious(tx, projectIds ?? [SYSTEM_SCOPE_ID], previous, counted),
        ...(await readOverviewBacklog(tx, projectIds)),
      };
    });
  }

  /** Reads an endpoint's metrics (see `read`). The caller must have checked the access scope. */
  readEndpoint(
    endpointId: string,
    range: Bucket[],
    previous: Bucket[] | null = null,
  ): Promise<AttemptSeries> {
    const buckets = this.retainedBuckets(range);
    return this.transactions.run(async (tx) => {
      const { endpointFirstId, endpointNextId, now } = await startReading(tx);
      const [row] = await tx.execute(readEndpointSeries(endpointId, buckets, endpointNextId));
      const { liveCount, liveTo, series } = row!;
      const counted = { from: endpointFirstId, to: endpointNextId };
      return {
        series,
        ...countedRange(buckets, endpointFirstId, liveCount, liveTo, now),
        previous: await this.readPrevious(tx, [endpointId], previous, counted),
      };
    });
  }

  private async readPrevious(
    tx: Tx,
    scopeIds: string[],
    buckets: Bucket[] | null,
    counted: IdRange,
  ): Promise<BucketCounts[] | null> {
    return buckets && readPreviousPeriod(tx, scopeIds, buckets, counted, logStartTime(this.retentionMs));
  }

  /** Returns the buckets since the log's start. */
  private retainedBuckets(range: Bucket[]): Bucket[] {
    const begin = logStartTime(this.retentionMs) / 1_000;
    return range.filter(({ at }) => at >= begin);
  }
}

async function startReading(tx: Tx) {
  await tx.execute(useOneSnapshot);
  const [progress] = await tx.execute(findProgress);
  await tx.execute(useIndexScans);
  return progress!;
}

/** Returns the range that the counts cover. @param firstId id of the first rolled-up attempt */
function countedRange(
  buckets: Bucket[],
  firstId: string,
  liveCount: number,
  liveTo: Date | null,
  now: Date,
): Pick<AttemptSeries, 'to' | 'completeFrom'> {
  const countedFrom = parseIdTime(firstId);
  return {
    to: liveCount === MAX_LIVE_ATTEMPTS ? liveTo! : now,
    completeFrom: countedFrom > buckets[0]!.at * 1_000 ? new Date(countedFrom) : null,
  };
}
