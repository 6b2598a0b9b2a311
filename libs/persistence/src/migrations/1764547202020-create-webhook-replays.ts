import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the table for replays, with which an operator sends a delivery once to another URL (ADR 0064). */
export class CreateWebhookReplays1764547202020 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE webhook_replays (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL,
        project_id uuid,
        delivery_id uuid NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
        event_id uuid NOT NULL,
        endpoint_id uuid NOT NULL,
        url text NOT NULL,
        -- Encrypted. Removed when the replay has finished.
        secret bytea,
        created_by text NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        started_at timestamptz(3),
        lease_until timestamptz(3),
        finished_at timestamptz(3),
        -- The outcome, as in attempts. All null in a finished replay: the customer was deleted before it started.
        http_status smallint,
        success boolean,
        error text,
        duration_ms integer,
        response_body text
      );
      CREATE INDEX webhook_replays_delivery ON webhook_replays (delivery_id, id);
      CREATE INDEX webhook_replays_endpoint ON webhook_replays (endpoint_id, id);
      CREATE INDEX webhook_replays_unfinished ON webhook_replays (id) WHERE finished_at IS NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE webhook_replays');
  }
}
