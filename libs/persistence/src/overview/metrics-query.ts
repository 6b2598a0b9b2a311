import { ownerRangeCondition } from '../lists/owner-range-condition.js';
import { MAX_UUID } from '../sql/uuid-v7.js';
import { endpointNameSql } from '../webhooks/endpoint-name-sql.js';
import { bucketStartSql, attemptCountColumns, metricsSql, breakdownSql } from './attempt-count-sql.js';

// SQL for the overview metrics and endpoint metrics. Parameters: $1 scopes; $2 length and $3 start times of the shown
// buckets; $4 first id that is not rolled up or, if higher, the lowest possible id in the range; $5 range start and
// $6 range end. The overview also has $7 lengths and $8 start times for the buckets that cover the shown ones.

/** Maximum number of attempts that are counted live because they are not rolled up yet. */
export const MAX_LIVE_ATTEMPTS = 20_000;

/** Maximum difference in ms, with a margin, between the timestamp of an attempt's id and its `started_at`. */
export const MAX_STARTED_AT_SKEW_MS = 60_000;

const TOP_LIMIT = 10;

/** FROM item for the shown buckets: length $2, start times $3. */
export const SHOWN_BUCKETS =
  '(SELECT $2::int AS span, at FROM unnest($3::timestamptz[]) AS each (at)) bucket';
const COVERING_BUCKETS = 'unnest($7::int[], $8::timestamptz[]) AS bucket (span, at)';
const ONLY_SCOPE = '($1::uuid[])[1]';
export const IN_SCOPE = 'stored.scope_id = ANY ($1::uuid[])';

/**
 * Returns SQL for the stored rows in these buckets. Reads one bucket at a time, so that no plan can scan additional
 * buckets.
 */
export const storedRowsSql = (table: string, buckets: string, scope: string): string => `
  SELECT stored.* FROM ${buckets} CROSS JOIN LATERAL (
    SELECT * FROM ${table} stored
    WHERE stored.span = bucket.span AND stored.at = bucket.at AND ${scope} OFFSET 0
  ) stored`;

/** Returns SQL for a column's top ten in `order`, with rollups and live attempts added up. */
const topRowsSql = (column: string, counted: string, order: string): string => `
  SELECT ${column}, sum(attempts)::int AS attempts, sum(failed)::int AS failed
  FROM (SELECT ${column}, attempts, failed FROM (${counted}) counted UNION ALL ${breakdownSql('live', column)}) parts
  GROUP BY ${column} ${order}, ${column} LIMIT ${TOP_LIMIT}`;

/** Returns SQL for ordered rows as a single JSON array. */
export const jsonListSql = (rows: string, columns: string): string => `(
  SELECT coalesce(jsonb_agg(jsonb_build_object(${columns}) ORDER BY nth), '[]')
  FROM (SELECT *, row_number() OVER () AS nth FROM ${rows}) numbered)`;

const BREAKDOWN_FIELDS = `'attempts', attempts, 'failed', failed`;

/** Condition that attempt `a` started in the range and is not rolled up. */
const IN_RANGE = 'a.id >= $4 AND a.started_at >= $5 AND a.started_at < $6';

interface QueryScope {
  /** SELECT of the attempts to count live, oldest first. */
  attempts: string;
  /** Condition for the endpoint rows to add up. The installation itself has no rows. */
  endpoints: string;
}

const liveAndSeriesSql = (attempts: string): string => `
  WITH live AS MATERIALIZED (
    SELECT a.*, ${bucketStartSql('$2::int')} AS at FROM (${attempts} LIMIT ${MAX_LIVE_ATTEMPTS}) a
  ), series AS (
    SELECT at, counts FROM (${storedRowsSql('attempt_figures', SHOWN_BUCKETS, IN_SCOPE)}) counted
    UNION ALL ${metricsSql('live', 'at')}
  )`;

/** SQL for the `series` rows as a single JSON array. */
export const SERIES_LIST = jsonListSql('series', `'at', extract(epoch FROM at)::int8, 'counts', counts`);

const SERIES_COLUMNS = `
  (SELECT count(*)::int FROM live) AS "liveCount",
  (SELECT max(started_at) FROM live) AS "liveTo",
  ${SERIES_LIST} AS series`;

const metricsQuery = ({ attempts, endpoints }: QueryScope): string => `
  ${liveAndSeriesSql(attempts)}, events AS (
    ${topRowsSql('event_type', storedRowsSql('attempt_figures_by_event', COVERING_BUCKETS, IN_SCOPE), 'ORDER BY sum(attempts) DESC')}
  ), endpoints AS (
    SELECT worst.*, ${endpointNameSql()} AS name, w.url, w.project_id FROM (
      ${topRowsSql(
        'endpoint_id',
        storedRowsSql('attempt_figures_by_endpoint', COVERING_BUCKETS, endpoints),
        'HAVING sum(failed) > 0 ORDER BY sum(failed) DESC, sum(attempts)',
      )}
    ) worst JOIN webhook_endpoints w ON w.id = worst.endpoint_id
    ORDER BY failed DESC, attempts, endpoint_id
  )
  SELECT ${SERIES_COLUMNS},
    ${jsonListSql('events', `'event', event_type, ${BREAKDOWN_FIELDS}`)} AS "byEvent",
    ${jsonListSql('endpoints', `'endpointId', endpoint_id, 'name', name, 'url', url, 'projectId', project_id, ${BREAKDOWN_FIELDS}`)} AS "worstEndpoints"`;

export const SYSTEM_METRICS_QUERY = metricsQuery({
  attempts: `SELECT ${attemptCountColumns} FROM attempts a WHERE ${IN_RANGE} ORDER BY a.id`,
  endpoints: 'true',
});

/**
 * Returns SQL for the attempts in a single scope. Compares rows, so that no plan can scan the attempts of all scopes,
 * and also the column alone, so that PostgreSQL can estimate how many attempts the scope has.
 */
const attemptsInScope = (column: 'project_id' | 'endpoint_id'): string => `
  SELECT a.id, ${attemptCountColumns} FROM attempts a
  WHERE (a.${column}, a.id) >= (${ONLY_SCOPE}, $4::uuid) AND a.${column} = ${ONLY_SCOPE} AND ${IN_RANGE}
  ORDER BY a.${column}, a.id`;

/**
 * SQL for the attempts in several projects. Reads one project at a time, because PostgreSQL cannot estimate their
 * number.
 */
const ATTEMPTS_IN_PROJECTS = `
  SELECT a.* FROM unnest($1::uuid[]) scope (id) CROSS JOIN LATERAL (
    SELECT a.id, ${attemptCountColumns} FROM attempts a
    WHERE ${ownerRangeCondition('a', 'project_id', 'scope.id', { first: '$4::uuid', past: `'${MAX_UUID}'::uuid` })} AND ${IN_RANGE}
    ORDER BY a.project_id, a.id LIMIT ${MAX_LIVE_ATTEMPTS}
  ) a ORDER BY a.id`;

export const PROJECT_METRICS_QUERY = metricsQuery({
  attempts: attemptsInScope('project_id'),
  endpoints: IN_SCOPE,
});

export const PROJECTS_METRICS_QUERY = metricsQuery({ attempts: ATTEMPTS_IN_PROJECTS, endpoints: IN_SCOPE });

export const ENDPOINT_METRICS_QUERY = `${liveAndSeriesSql(attemptsInScope('endpoint_id'))} SELECT ${SERIES_COLUMNS}`;
