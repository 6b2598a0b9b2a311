// Raw SQL: sums of rollups by bucket, and a search over ranges of the log.
import type { Bucket } from '@gatehouse/domain';
import type { Tx } from '../database/transactions.js';
import { arrayOf, boolean, dynamicStatement, jsonb, timestamptz } from '../sql/statements.js';
import { minIdAt, NIL_UUID, parseIdTime, type IdRange } from '../sql/uuid-v7.js';
import { SYSTEM_SCOPE_ID } from './attempt-count-sql.js';
import {
  IN_SCOPE,
  MAX_STARTED_AT_SKEW_MS,
  SERIES_LIST,
  SHOWN_BUCKETS,
  storedRowsSql,
} from './metrics-query.js';

/** A bucket's counters. */
export interface BucketCounts {
  at: number;
  counts: number[];
}

const storedSeriesRow = {
  series: jsonb<BucketCounts[]>(),
  /** Start times of the buckets that contain attempts from any project. */
  filled: arrayOf(timestamptz),
};

/** Parameters: $1 scopes; $2 bucket length and $3 bucket start times. */
const STORED_SERIES_QUERY = `
  WITH series AS (SELECT at, counts FROM (${storedRowsSql('attempt_figures', SHOWN_BUCKETS, IN_SCOPE)}) stored)
  SELECT ${SERIES_LIST} AS series, ARRAY(
    SELECT at FROM (${storedRowsSql('attempt_figures', SHOWN_BUCKETS, `stored.scope_id = '${SYSTEM_SCOPE_ID}'`)}) stored
  ) AS filled`;

const readStoredSeries = dynamicStatement(
  storedSeriesRow,
  (scopeIds: string[], buckets: Bucket[]) => ({
    text: STORED_SERIES_QUERY,
    values: [scopeIds, buckets[0]!.span, buckets.map(({ at }) => new Date(at * 1_000))],
  }),
  [[[NIL_UUID], [{ span: 60, at: 0 }]]],
);

/** Returns whether the log contains attempts that started in one of the ranges. */
const findAttempts = dynamicStatement(
  { isFound: boolean },
  (ranges: TimeRange[]) => ({
    text: `
      SELECT EXISTS (
        SELECT FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::timestamptz[])
          AS missing (first_id, past_id, since, until)
        CROSS JOIN LATERAL (
          SELECT FROM attempts a WHERE a.id >= first_id AND a.id < past_id
            AND a.started_at >= since AND a.started_at < until LIMIT 1
        ) found
      ) AS "isFound"`,
    values: [
      ranges.map(({ from }) => minIdAt(from)),
      ranges.map(({ to }) => minIdAt(to)),
      ranges.map(({ from }) => new Date(from)),
      ranges.map(({ to }) => new Date(to)),
    ],
  }),
  [[[{ from: 0, to: 60_000 }]]],
);

/** A time range in ms since 1970. `to` is exclusive. */
interface TimeRange {
  from: number;
  to: number;
}

/**
 * Reads a past period's counts from the rollups. Call it in the transaction that reads the following period.
 * @param counted id range that is rolled up
 * @param logStart start of the log, in ms since 1970
 * @returns null if the rollups do not cover the whole period; version 0.1.0 retained two-hour and one-day buckets for
 * a shorter time
 */
export async function readPreviousPeriod(
  tx: Tx,
  scopeIds: string[],
  buckets: Bucket[],
  counted: IdRange,
  logStart: number,
): Promise<BucketCounts[] | null> {
  const from = buckets[0]!.at * 1_000;
  const to = bucketEnd(buckets.at(-1)!);
  const isCounted =
    from >= logStart &&
    parseIdTime(counted.from) <= from &&
    parseIdTime(counted.to) >= to + MAX_STARTED_AT_SKEW_MS;
  if (!isCounted) return null;
  const [row] = await tx.execute(readStoredSeries(scopeIds, buckets));
  const { series, filled } = row!;
  const times = new Set(filled.map((at) => at.getTime()));
  const gaps = joinRanges(buckets.filter(({ at }) => !times.has(at * 1_000)));
  if (gaps.length === 0) return series;
  const [found] = await tx.execute(findAttempts(gaps));
  return found!.isFound ? null : series;
}

const bucketEnd = ({ at, span }: Bucket): number => (at + span) * 1_000;

/** Returns the time ranges that buckets cover, oldest first, with adjacent buckets merged. */
function joinRanges(buckets: Bucket[]): TimeRange[] {
  const ranges: TimeRange[] = [];
  for (const bucket of buckets) {
    const [from, to] = [bucket.at * 1_000, bucketEnd(bucket)];
    const last = ranges.at(-1);
    if (last?.to === from) last.to = to;
    else ranges.push({ from, to });
  }
  return ranges;
}
