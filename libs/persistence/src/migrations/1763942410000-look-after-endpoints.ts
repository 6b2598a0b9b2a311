import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Endpoints send headers of their own, change their secret with an overlap, and are switched off when they only fail. */
export class LookAfterEndpoints1763942410000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE webhook_endpoints
        -- Encrypted: an object of names and values. The names stand beside it, for whoever may not see the values.
        ADD COLUMN headers bytea,
        ADD COLUMN header_names text[] NOT NULL DEFAULT '{}',
        -- Signs too, until then.
        ADD COLUMN previous_secret bytea,
        ADD COLUMN previous_secret_until timestamptz(3),
        ADD COLUMN disabled_at timestamptz(3);

      -- A table of its own, because it changes every few seconds and nothing waits for it.
      CREATE TABLE endpoint_health (
        endpoint_id uuid PRIMARY KEY REFERENCES webhook_endpoints (id),
        -- The first failure after the last success.
        failing_since timestamptz(3),
        last_success_at timestamptz(3),
        last_failure_at timestamptz(3)
      ) WITH (fillfactor = 50);

      -- A dead letter of which no event has told yet.
      ALTER TABLE deliveries ADD COLUMN untold boolean;
      CREATE INDEX deliveries_untold ON deliveries (id) WHERE untold;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX deliveries_untold;
      ALTER TABLE deliveries DROP COLUMN untold;
      DROP TABLE endpoint_health;
      ALTER TABLE webhook_endpoints DROP COLUMN headers, DROP COLUMN header_names, DROP COLUMN previous_secret,
        DROP COLUMN previous_secret_until, DROP COLUMN disabled_at;
    `);
  }
}
