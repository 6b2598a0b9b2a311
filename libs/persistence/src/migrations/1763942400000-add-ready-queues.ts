import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds ready queues by urgency and endpoint (ADR 0019), and the last attempt's result for the dead letter list. */
export class AddReadyQueues1763942400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE deliveries
        -- 0: first attempt, 1: retry, 2: delivery of a batch.
        ADD COLUMN urgency smallint NOT NULL DEFAULT 0 CHECK (urgency BETWEEN 0 AND 2),
        ADD COLUMN batch_id uuid,
        -- The last finished attempt's result; null before the first attempt finishes.
        ADD COLUMN last_http_status smallint,
        ADD COLUMN last_error text;

      UPDATE deliveries SET urgency = 1 WHERE state = 'pending' AND attempt > 0;
      UPDATE deliveries d SET last_http_status = a.http_status, last_error = a.error
      FROM attempts a WHERE a.delivery_id = d.id AND a.attempt = d.attempt AND d.state = 'failed';

      CREATE INDEX deliveries_line ON deliveries (urgency, next_attempt_at)
        WHERE state = 'pending' AND lease_until IS NULL;
      CREATE INDEX deliveries_endpoint_line ON deliveries (endpoint_id, urgency, next_attempt_at)
        WHERE state = 'pending' AND lease_until IS NULL;
      DROP INDEX deliveries_due;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX deliveries_due ON deliveries (next_attempt_at) WHERE state = 'pending' AND lease_until IS NULL;
      DROP INDEX deliveries_line, deliveries_endpoint_line;
      ALTER TABLE deliveries DROP COLUMN urgency, DROP COLUMN batch_id, DROP COLUMN last_http_status,
        DROP COLUMN last_error;
    `);
  }
}
