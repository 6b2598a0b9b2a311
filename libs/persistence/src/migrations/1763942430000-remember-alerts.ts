import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What operators have been told, so that all workers together tell it once; and indexes to find it without reading much. */
export class RememberAlerts1763942430000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE alerts (
        id uuid PRIMARY KEY,
        kind text NOT NULL,
        channel text NOT NULL,
        -- Messages sent so far: with the id it names the next one.
        told integer NOT NULL DEFAULT 0,
        told_at timestamptz(3),
        -- Told, and not yet told that it is over.
        is_open boolean NOT NULL DEFAULT false,
        -- When the youngest began of what was told last.
        newest timestamptz(3),
        claimed_until timestamptz(3),
        UNIQUE (kind, channel)
      );
      CREATE INDEX deliveries_dead_since ON deliveries (finished_at) WHERE state = 'failed' AND resolution IS NULL;
      CREATE INDEX webhook_endpoints_failing ON webhook_endpoints (disabled_at)
        WHERE status = 'disabled' AND disabled_reason = 'failing';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX webhook_endpoints_failing, deliveries_dead_since;
      DROP TABLE alerts;
    `);
  }
}
