import { attemptErrors, durationBounds, statusClasses } from '@gatehouse/domain';
import { now } from '@gatehouse/platform';
import { startOfDay } from '../webhooks/attempt-partitions.js';

// SQL that counts attempts, for those who write figures down and those who read what is not written down yet.

/** The scope of the whole house; any other is a project. */
export const SYSTEM_SCOPE_ID = '00000000-0000-0000-0000-000000000000';

/** Of an attempt, `a`, what is counted. */
export const attemptCountColumns = `a.project_id, a.endpoint_id, a.event_type, a.success, a.http_status / 100 AS class, a.error,
  a.started_at, CASE WHEN a.error IS DISTINCT FROM 'worker_lost'
    THEN width_bucket(a.duration_ms, '{${durationBounds.join(',')}}'::int[]) END AS bin`;

/** The beginning of the bucket of an attempt. */
export const bucketStartSql = (span: string): string =>
  `date_bin(${span} * interval '1 second', started_at, timestamptz '1970-01-01 00:00:00Z')`;

/** What each of the stored figures counts, in their order: see `Figures`. */
const counterConditions = [
  'true',
  'NOT success',
  ...statusClasses.map((name) => `class = ${name === 'none' ? 0 : name[0]}`),
  ...attemptErrors.map((error) => `error = '${error}'`),
  ...Array.from({ length: durationBounds.length + 1 }, (_, bin) => `bin = ${bin}`),
];

/** Figures of attempts that have a `bucket`; alike ones are counted first, so that few are looked at from every side. */
export const metricsSql = (attempts: string, bucket: string): string => `
  SELECT ${bucket}, ARRAY[${counterConditions.map((which) => `coalesce(sum(n) FILTER (WHERE ${which}), 0)`).join(', ')}]::int[] AS counts
  FROM (
    SELECT ${bucket}, success, class, error, bin, count(*) AS n FROM ${attempts}
    GROUP BY ${bucket}, success, class, error, bin
  ) alike GROUP BY ${bucket}`;

/** How many attempts there were of each, and how many of them failed. */
export const breakdownSql = (attempts: string, columns: string): string => `
  SELECT ${columns}, count(*)::int AS attempts, (count(*) FILTER (WHERE NOT success))::int AS failed
  FROM ${attempts} GROUP BY ${columns}`;

/** From when on the log is kept, and with it its figures, in ms since 1970. Dead letters stay longer, uncounted. */
export const logStartTime = (retentionMs: number): number => startOfDay(now().getTime() - retentionMs);

/** Begins a transaction whose statements walk indexes, and need no compiler that takes longer than they do. */
export const USE_INDEX_SCANS = 'SET LOCAL enable_seqscan = off; SET LOCAL jit = off';
