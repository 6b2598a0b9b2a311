import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds custom headers, secret rotation with an overlap, and health data for disabling failing endpoints. */
export class AddEndpointHeadersAndHealth1763942410000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE webhook_endpoints
        -- An encrypted object of names and values. Callers that may not read values see header_names.
        ADD COLUMN headers bytea,
        ADD COLUMN header_names text[] NOT NULL DEFAULT '{}',
        -- Used for signing as well until previous_secret_until.
        ADD COLUMN previous_secret bytea,
        ADD COLUMN previous_secret_until timestamptz(3),
        ADD COLUMN disabled_at timestamptz(3);

      -- A separate table, because it changes every few seconds.
      CREATE TABLE endpoint_health (
        endpoint_id uuid PRIMARY KEY REFERENCES webhook_endpoints (id),
        -- First failure after the last success.
        failing_since timestamptz(3),
        last_success_at timestamptz(3),
        last_failure_at timestamptz(3)
      ) WITH (fillfactor = 50);

      -- True for a dead letter that no event has reported yet.
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
