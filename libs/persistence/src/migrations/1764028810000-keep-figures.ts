import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Figures of the log of attempts, by stretches of time, so that the overview reads none of the millions. */
export class KeepFigures1764028810000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Of a project, or of the whole house: the scope of all zeros. Those of a current bucket change again and again.
      CREATE TABLE attempt_figures (
        -- Length of the bucket in seconds, and when it begins.
        span integer NOT NULL,
        at timestamptz(0) NOT NULL,
        scope_id uuid NOT NULL,
        -- In the order of libs/domain/src/overview/figures.ts.
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
        -- The house has none of its own: they are the sum. All zeros: attempts of no project.
        scope_id uuid NOT NULL,
        endpoint_id uuid NOT NULL,
        attempts integer NOT NULL,
        failed integer NOT NULL,
        PRIMARY KEY (span, at, scope_id, endpoint_id)
      ) WITH (fillfactor = 80);

      -- How far the log has been counted: whoever locks it goes on, for all workers.
      CREATE TABLE attempts_counted (
        singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
        -- The first id that is counted, while older attempts still are to be, and the first that is not.
        first_id uuid NOT NULL,
        next_id uuid NOT NULL
      );
      -- A log that is there already is counted from here on, then back into the past. It begins at a place before
      -- which nothing is open.
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
