import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the tables for rollups of attempts by time bucket, so that the overview does not read the attempts (ADR 0022). */
export class CreateAttemptRollups1764028810000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- The scope is a project, or the nil UUID for the installation. Rows of current buckets are updated
      -- often.
      CREATE TABLE attempt_figures (
        -- Length in seconds and start of the bucket.
        span integer NOT NULL,
        at timestamptz(0) NOT NULL,
        scope_id uuid NOT NULL,
        -- In the order of libs/domain/src/overview/attempt-metrics.ts.
        counts integer[] NOT NULL,
        PRIMARY KEY (span, at, scope_id)
      ) WITH (fillfactor = 80);
      CREATE TABLE attempt_figures_by_event (
        span integer NOT NULL,
        at timestamptz(0) NOT NULL,
        scope_id uuid NOT NULL,
        event_type text NOT NULL,
        attempts integer NOT NULL,
        failed integer NOT NULL,
        PRIMARY KEY (span, at, scope_id, event_type)
      ) WITH (fillfactor = 80);
      CREATE TABLE attempt_figures_by_endpoint (
        span integer NOT NULL,
        at timestamptz(0) NOT NULL,
        -- The installation has no rows, because the projects' rows are added up. The nil UUID stands for attempts
        -- without a project.
        scope_id uuid NOT NULL,
        endpoint_id uuid NOT NULL,
        attempts integer NOT NULL,
        failed integer NOT NULL,
        PRIMARY KEY (span, at, scope_id, endpoint_id)
      ) WITH (fillfactor = 80);

      -- The counted range of attempts. Only the worker that has locked the row counts.
      CREATE TABLE attempts_counted (
        singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
        -- The first counted id, which decreases until all older attempts are counted, and the first id after
        -- the range.
        first_id uuid NOT NULL,
        next_id uuid NOT NULL
      );
      -- Attempts after this start are counted first, then the older ones, backwards. All attempts before the
      -- start are finished.
      INSERT INTO attempts_counted (first_id, next_id)
      SELECT place, place FROM (
        SELECT CASE WHEN EXISTS (SELECT FROM attempts) THEN least(
          (SELECT attempt_id FROM deliveries WHERE lease_until IS NOT NULL ORDER BY attempt_id LIMIT 1),
          (lpad(to_hex((extract(epoch FROM now() - interval '1 hour') * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
        ) ELSE '00000000-0000-0000-0000-000000000000' END AS place
      ) places;
    `);
    await runner.query(
      `CREATE INDEX deliveries_dead_project_since ON deliveries (project_id, finished_at)
       WHERE state = 'failed' AND resolution IS NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX deliveries_dead_project_since;
      DROP TABLE attempts_counted, attempt_figures_by_endpoint, attempt_figures_by_event, attempt_figures;
    `);
  }
}
