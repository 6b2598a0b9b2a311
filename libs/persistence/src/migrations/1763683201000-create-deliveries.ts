import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the tables for events, webhook endpoints, deliveries and their attempts. */
export class CreateDeliveries1763683201000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE webhook_endpoints (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL REFERENCES organizations (id),
        project_id uuid REFERENCES projects (id),
        level text NOT NULL CHECK (level IN ('project', 'organization')),
        url text NOT NULL,
        description text,
        events text[] NOT NULL,
        secret bytea NOT NULL,
        status text NOT NULL DEFAULT 'enabled' CHECK (status IN ('enabled', 'disabled', 'deleted')),
        disabled_reason text,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        CHECK ((level = 'project') = (project_id IS NOT NULL))
      );
      CREATE INDEX webhook_endpoints_organization ON webhook_endpoints (organization_id, id);

      CREATE TABLE events (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL,
        project_id uuid,
        customer_id uuid,
        type text NOT NULL,
        body text NOT NULL,
        created_at timestamptz(3) NOT NULL
      );
      CREATE INDEX events_project ON events (project_id, id);

      CREATE TABLE deliveries (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL,
        project_id uuid,
        event_id uuid NOT NULL REFERENCES events (id),
        event_type text NOT NULL,
        endpoint_id uuid NOT NULL REFERENCES webhook_endpoints (id),
        target_url text NOT NULL,
        state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'succeeded', 'failed', 'cancelled')),
        attempt smallint NOT NULL DEFAULT 0 CHECK (attempt BETWEEN 0 AND 5),
        next_attempt_at timestamptz(3),
        attempt_id uuid,
        started_at timestamptz(3),
        lease_until timestamptz(3),
        redelivery_of uuid REFERENCES deliveries (id),
        redelivered_as uuid,
        resolution text CHECK (resolution IN ('redelivered', 'discarded')),
        reason text,
        resolved_by text,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        finished_at timestamptz(3)
      ) WITH (fillfactor = 80);
      CREATE INDEX deliveries_due ON deliveries (next_attempt_at) WHERE state = 'pending' AND lease_until IS NULL;
      CREATE INDEX deliveries_leased ON deliveries (lease_until) WHERE lease_until IS NOT NULL;
      CREATE UNIQUE INDEX deliveries_one_pending ON deliveries (endpoint_id, event_id) WHERE state = 'pending';
      CREATE INDEX deliveries_dead ON deliveries (project_id, id) WHERE state = 'failed' AND resolution IS NULL;
      CREATE INDEX deliveries_event ON deliveries (event_id);

      CREATE TABLE attempts (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL,
        project_id uuid,
        event_id uuid NOT NULL,
        event_type text NOT NULL,
        endpoint_id uuid NOT NULL,
        delivery_id uuid NOT NULL,
        target_url text NOT NULL,
        attempt smallint NOT NULL,
        http_status smallint NOT NULL,
        success boolean NOT NULL,
        error text,
        duration_ms integer NOT NULL,
        response_body text NOT NULL,
        retry_after text,
        started_at timestamptz(3) NOT NULL,
        closed_at timestamptz(3) NOT NULL DEFAULT now()
      ) PARTITION BY RANGE (id);
      CREATE INDEX attempts_organization ON attempts (organization_id, id);
      CREATE INDEX attempts_project ON attempts (project_id, id);
      CREATE INDEX attempts_endpoint ON attempts (endpoint_id, id);
      CREATE INDEX attempts_delivery ON attempts (delivery_id, id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE attempts, deliveries, events, webhook_endpoints`);
  }
}
