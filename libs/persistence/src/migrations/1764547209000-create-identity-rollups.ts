import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the tables for rollups of sign-ups, sign-ins and failures by time bucket (ADR 0069). */
export class CreateIdentityRollups1764547209000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- The scope is a project, or the nil UUID for the installation. Rows of current buckets are updated often.
      CREATE TABLE identity_rollups (
        -- Length in seconds and start of the bucket.
        span integer NOT NULL,
        at timestamptz(0) NOT NULL,
        scope_id uuid NOT NULL,
        metric text NOT NULL,
        label text NOT NULL,
        count integer NOT NULL,
        PRIMARY KEY (span, at, scope_id, metric, label)
      ) WITH (fillfactor = 80);

      -- The last counted event of the feed. Only the worker that has locked the row counts.
      CREATE TABLE identity_rollup_progress (
        singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
        epoch smallint NOT NULL,
        xact xid8 NOT NULL,
        id uuid NOT NULL
      );
      INSERT INTO identity_rollup_progress (epoch, xact, id)
      SELECT epoch, '0', '00000000-0000-0000-0000-000000000000' FROM event_feed;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE identity_rollup_progress, identity_rollups');
  }
}
