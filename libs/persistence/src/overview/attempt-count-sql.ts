// Raw SQL: aggregates of attempts for rollups and live counts, and transaction settings.
import { ALL_CUSTOM_EVENTS, attemptErrors, countedStatusClasses, durationBounds } from '@gatehouse/domain';
import { isCustomTypeSql } from '../events/event-type-condition.js';
import { nullable, statement, text } from '../sql/statements.js';

/** Scope id for the installation. All other scope ids are projects or endpoints. */
export const SYSTEM_SCOPE_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Columns of attempt `a` that are counted. All custom event types are counted together, because an application can
 * send any number of them, and each would add rows.
 */
export const attemptCountColumns = `a.project_id, a.endpoint_id,
  CASE WHEN ${isCustomTypeSql('a.event_type')} THEN '${ALL_CUSTOM_EVENTS}' ELSE a.event_type END AS event_type, a.success,
  CASE WHEN a.http_status BETWEEN 1 AND 99 THEN 1 ELSE a.http_status / 100 END AS class, a.error,
  a.started_at, CASE WHEN a.error IS DISTINCT FROM 'worker_lost'
    THEN width_bucket(a.duration_ms, '{${durationBounds.join(',')}}'::int[]) END AS bin`;

/** Returns SQL for the start of the bucket that contains a time. */
export const bucketStartSql = (span: string, time = 'started_at'): string =>
  `date_bin(${span} * interval '1 second', ${time}, timestamptz '1970-01-01 00:00:00Z')`;

/** Conditions for the stored counters, in the same order as `AttemptMetrics`. */
const counterConditions = [
  'true',
  'NOT success',
  ...countedStatusClasses.map((name) => `class = ${name === 'none' ? 0 : name[0]}`),
  ...attemptErrors.map((error) => `error = '${error}'`),
  ...Array.from({ length: durationBounds.length + 1 }, (_, bin) => `bin = ${bin}`),
];

/**
 * Returns SQL for each bucket's counters. Groups equal attempts first, so that the conditions are evaluated on few
 * rows.
 */
export const metricsSql = (attempts: string, bucket: string): string => `
  SELECT ${bucket}, ARRAY[${counterConditions.map((condition) => `coalesce(sum(n) FILTER (WHERE ${condition}), 0)`).join(', ')}]::int[] AS counts
  FROM (
    SELECT ${bucket}, success, class, error, bin, count(*) AS n FROM ${attempts}
    GROUP BY ${bucket}, success, class, error, bin
  ) grouped GROUP BY ${bucket}`;

/** Returns SQL for the total and failed attempt counts, grouped by `columns`. */
export const breakdownSql = (attempts: string, columns: string): string => `
  SELECT ${columns}, count(*)::int AS attempts, (count(*) FILTER (WHERE NOT success))::int AS failed
  FROM ${attempts} GROUP BY ${columns}`;

/**
 * Disables sequential scans for the rest of the transaction, and JIT compilation, which would take longer than the
 * statements.
 */
export const useIndexScans = statement(
  { seqScan: nullable(text), jit: nullable(text) },
  `SELECT set_config('enable_seqscan', 'off', true) AS "seqScan", set_config('jit', 'off', true) AS jit`,
);
