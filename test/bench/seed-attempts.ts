import type { TestInstance } from '../support/test-instance.js';

/** Additional projects in the organization. They share half of the log. */
export const PROJECTS = 1_000;
const ENDPOINTS_EACH = 10;

export const DAYS = 30;
const DAY_MS = 86_400_000;

/** One in this many deliveries is a dead letter. */
const DEAD_LETTER_EVERY = 21;
const EVENT_TYPES = ['customer.created', 'session.created', 'login.succeeded', 'customer.updated'];
/** The type of one in RARE_EVERY events. */
export const RARE_TYPE = 'customer.deleted';
const RARE_EVERY = 1_000;

/** Returns the number of attempts for `count` deliveries. */
export const attemptCount = (count: number): number => count + 4 * Math.floor(count / DEAD_LETTER_EVERY);
export const deadLetterCount = (count: number): number => Math.floor(count / DEAD_LETTER_EVERY);

export interface SeedSize {
  deliveries: number;
  /** Number of days over which the deliveries are spread. */
  days: number;
  /** Number of endpoints in the project that has half of the log. */
  endpoints: number;
}

/**
 * Fills a thirty-day-old instance's log with deliveries, ten for each event, spread evenly over the last days. Each has
 * one successful attempt, except for dead letters, which have five failed ones (a fifth with 404, the others with 500).
 */
export async function seedAttempts(
  instance: TestInstance,
  { deliveries: count, days, endpoints }: SeedSize,
): Promise<void> {
  const { organizationId, projectId } = instance.credentials;
  const begin = Date.now() - days * DAY_MS;
  await instance.sql(`
    CREATE FUNCTION seed_id(ms bigint, kind int, n bigint) RETURNS uuid IMMUTABLE LANGUAGE sql AS
      $$ SELECT (lpad(to_hex(ms), 12, '0') || '7000' || 8000 + kind || lpad(to_hex(n), 12, '0'))::uuid $$;
    CREATE FUNCTION seed_time(n bigint) RETURNS bigint IMMUTABLE LANGUAGE sql AS
      $$ SELECT ${begin} + n * ${days * DAY_MS}::bigint / ${count} $$;
    INSERT INTO projects (id, organization_id, name, slug)
    SELECT seed_id(1, 1, n), '${organizationId}', 'Project ' || n, 'seed-' || n FROM generate_series(0, ${PROJECTS - 1}) n;
    INSERT INTO webhook_endpoints (id, organization_id, project_id, level, url, events, secret)
    SELECT seed_id(1, 2, n), '${organizationId}',
      CASE WHEN n < ${endpoints} THEN '${projectId}' ELSE seed_id(1, 1, (n - ${endpoints}) / ${ENDPOINTS_EACH}) END,
      'project', 'https://example.com/' || n, '{*}', ''
    FROM generate_series(0, ${endpoints + PROJECTS * ENDPOINTS_EACH - 1}) n`);
  await createPartitions(instance, Date.now() - DAYS * DAY_MS);
  await instance.sql(`
    CREATE UNLOGGED TABLE seed_rows AS
    SELECT n, e, e % 2 = 0 AS is_main, e / 2 % ${PROJECTS} AS p, n % ${DEAD_LETTER_EVERY} = 0 AS is_dead,
      seed_id(seed_time(e * 10), 3, e) AS event_id, seed_id(seed_time(n), 4, n) AS id, seed_time(n) AS ms,
      CASE WHEN e % ${RARE_EVERY} = 0 THEN '${RARE_TYPE}'
        ELSE ('{${EVENT_TYPES}}'::text[])[1 + e / 2 % ${EVENT_TYPES.length}] END AS type
    FROM (SELECT n, n / 10 AS e FROM generate_series(1, ${count}::bigint) n) numbers`);
  const project = `CASE WHEN is_main THEN '${projectId}' ELSE seed_id(1, 1, p) END`;
  const endpoint = `seed_id(1, 2, CASE WHEN is_main THEN (e / 2 * 7 + n) % ${endpoints}
    ELSE ${endpoints} + p * ${ENDPOINTS_EACH} + n % ${ENDPOINTS_EACH} END)`;
  const time = (ms: string): string => `to_timestamp((${ms}) / 1000.0)`;
  await insertUnchecked(
    instance,
    `INSERT INTO events (id, organization_id, project_id, type, body, created_at)
     SELECT DISTINCT ON (e) event_id, '${organizationId}'::uuid, ${project}, type,
       json_build_object('id', 'evt_' || event_id, 'type', type, 'created_at', ${time('ms')},
         'project_id', ${project}, 'organization_id', '${organizationId}', 'data', json_build_object('text', repeat('x', 100)))::text,
       ${time('ms')}
     FROM seed_rows ORDER BY e, n`,
  );
  await insertUnchecked(
    instance,
    `INSERT INTO deliveries (id, organization_id, project_id, event_id, event_type, endpoint_id, target_url, state,
       attempt, last_http_status, last_error, created_at, finished_at)
     SELECT id, '${organizationId}', ${project}, event_id, type, ${endpoint}, 'https://example.com/',
       CASE WHEN is_dead THEN 'failed' ELSE 'succeeded' END, CASE WHEN is_dead THEN 5 ELSE 1 END,
       CASE WHEN NOT is_dead THEN 200 WHEN n % 5 = 0 THEN 404 ELSE 500 END, CASE WHEN is_dead THEN 'http_error' END,
       ${time('ms')}, ${time('ms + CASE WHEN is_dead THEN 2175000 ELSE 100 END')}
     FROM seed_rows`,
  );
  await insertUnchecked(
    instance,
    `INSERT INTO attempts (id, organization_id, project_id, event_id, event_type, endpoint_id, delivery_id, target_url,
       attempt, http_status, success, error, duration_ms, response_body, started_at, closed_at)
     SELECT seed_id(at, 5, n * 5 + nth), '${organizationId}', ${project}, event_id, type, ${endpoint}, id,
       'https://example.com/', nth + 1, CASE WHEN NOT is_dead THEN 200 WHEN n % 5 = 0 THEN 404 ELSE 500 END, NOT is_dead,
       CASE WHEN is_dead THEN 'http_error' END, 20, CASE WHEN is_dead THEN repeat('oops ', 20) ELSE 'ok' END,
       ${time('at')}, ${time('at')}
     FROM seed_rows, LATERAL (
       SELECT nth, ms + ('{0,15000,75000,375000,2175000}'::bigint[])[nth + 1] AS at
       FROM generate_series(0, CASE WHEN is_dead THEN 4 ELSE 0 END) nth
     ) each`,
  );
  await instance.sql('DROP TABLE seed_rows');
  for (const table of ['projects', 'webhook_endpoints', 'events', 'deliveries', 'attempts'])
    await instance.sql(`VACUUM ANALYZE ${table}`);
}

/**
 * Inserts pending deliveries, as after a receiver outage. They are copies of the newest deliveries. Their first attempt
 * has failed, and their next attempt is due within ten minutes.
 */
export async function seedBacklog(instance: TestInstance, count: number): Promise<void> {
  await insertUnchecked(
    instance,
    `INSERT INTO deliveries (id, organization_id, project_id, event_id, event_type, endpoint_id, target_url, attempt,
       last_http_status, last_error, next_attempt_at, created_at)
     SELECT seed_id((extract(epoch FROM created_at) * 1000)::bigint, 15, row_number() OVER ()), organization_id, project_id,
       event_id, event_type, endpoint_id, target_url, 1, 500, 'http_error', now() + random() * interval '10 minutes', created_at
     FROM (SELECT * FROM deliveries ORDER BY id DESC LIMIT ${count}) newest`,
  );
  await instance.sql('VACUUM ANALYZE deliveries');
}

/**
 * Inserts rows without checking foreign keys. References are valid by construction, and checking millions of them
 * takes longer than writing the rows.
 */
const insertUnchecked = (instance: TestInstance, statement: string): Promise<unknown> =>
  instance.sql(`BEGIN; SET LOCAL session_replication_role = replica; ${statement}; COMMIT`);

/** Creates the partitions that an instance of this age would have. */
async function createPartitions(instance: TestInstance, begin: number): Promise<void> {
  const lowest = (day: number): string =>
    day
      .toString(16)
      .padStart(12, '0')
      .replace(/^(.{8})(.{4})$/, '$1-$2-0000-0000-000000000000');
  for (let day = Math.floor(begin / DAY_MS) * DAY_MS; day < Date.now() - DAY_MS; day += DAY_MS) {
    const name = `attempts_${new Date(day).toISOString().slice(0, 10).replaceAll('-', '')}`;
    await instance.sql(
      `CREATE TABLE IF NOT EXISTS ${name} PARTITION OF attempts
       FOR VALUES FROM ('${lowest(day)}') TO ('${lowest(day + DAY_MS)}')`,
    );
  }
}
