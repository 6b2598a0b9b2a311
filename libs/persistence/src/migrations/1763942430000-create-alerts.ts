import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Creates the alert state that all workers share, so that each alert is sent only once. Also indexes the rows that
 * the alert conditions count.
 */
export class CreateAlerts1763942430000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE alerts (
        id uuid PRIMARY KEY,
        kind text NOT NULL,
        channel text NOT NULL,
        -- Messages sent so far. The id and this number identify the next one.
        told integer NOT NULL DEFAULT 0,
        told_at timestamptz(3),
        -- An alert was sent, but not its resolution.
        is_open boolean NOT NULL DEFAULT false,
        -- Start of the newest problem in the last message.
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
