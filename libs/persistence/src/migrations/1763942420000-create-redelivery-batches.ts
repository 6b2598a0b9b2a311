import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the tables for bulk redeliveries and recoveries with their items, and indexes for dead letters. */
export class CreateRedeliveryBatches1763942420000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE redelivery_batches (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL,
        -- Null for a batch that covers several projects.
        project_id uuid,
        kind text NOT NULL CHECK (kind IN ('redelivery', 'recovery')),
        filter jsonb NOT NULL,
        state text NOT NULL DEFAULT 'planned'
          CHECK (state IN ('planned', 'running', 'completed', 'cancelled', 'expired')),
        reason text,
        -- The plan: numbers of matching deliveries, of eligible ones, and of ineligible ones by reason.
        total integer NOT NULL DEFAULT 0,
        eligible integer NOT NULL DEFAULT 0,
        not_eligible jsonb NOT NULL DEFAULT '{}',
        endpoint_ids uuid[] NOT NULL DEFAULT '{}',
        -- Progress.
        waiting integer NOT NULL DEFAULT 0,
        made integer NOT NULL DEFAULT 0,
        skipped jsonb NOT NULL DEFAULT '{}',
        -- Number of deliveries by final state, once none is pending.
        results jsonb,
        created_by text NOT NULL,
        started_by text,
        cancelled_by text,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        started_at timestamptz(3),
        finished_at timestamptz(3)
      );
      CREATE INDEX redelivery_batches_organization ON redelivery_batches (organization_id, id);
      CREATE INDEX redelivery_batches_project ON redelivery_batches (project_id, id);
      CREATE INDEX redelivery_batches_unfinished ON redelivery_batches (id) WHERE finished_at IS NULL;

      -- Without foreign keys: retention may remove deliveries and events of a waiting item, and checking the
      -- batch 100,000 times would take a third of the time limit for planning.
      CREATE TABLE redelivery_items (
        batch_id uuid NOT NULL,
        endpoint_id uuid NOT NULL,
        event_id uuid NOT NULL,
        -- The original delivery; null if there was none.
        delivery_id uuid,
        -- The created delivery, or the reason why there is none.
        redelivered_as uuid,
        skipped text,
        PRIMARY KEY (batch_id, endpoint_id, event_id)
      );
      CREATE INDEX redelivery_items_waiting ON redelivery_items (batch_id, endpoint_id, event_id)
        WHERE redelivered_as IS NULL AND skipped IS NULL;

      -- The time at which a worker last created deliveries. The worker that locks the row does this for all batches.
      CREATE TABLE redelivery_feed (
        singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
        fed_at timestamptz(3) NOT NULL DEFAULT 'epoch'
      );
      INSERT INTO redelivery_feed DEFAULT VALUES;
    `);
    for (const index of [
      `deliveries_batch ON deliveries (batch_id, state) WHERE batch_id IS NOT NULL`,
      `deliveries_batch_pending ON deliveries (endpoint_id) WHERE state = 'pending' AND batch_id IS NOT NULL`,
      `deliveries_dead_organization ON deliveries (organization_id, id) WHERE state = 'failed' AND resolution IS NULL`,
      `deliveries_dead_endpoint ON deliveries (endpoint_id, id) WHERE state = 'failed' AND resolution IS NULL`,
      // A delivery enters this index only when it finishes, after the updates on the hot path.
      `deliveries_finished ON deliveries (endpoint_id, id) WHERE state IN ('succeeded', 'cancelled')`,
    ]) {
      await runner.query(`CREATE INDEX ${index}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX deliveries_batch, deliveries_batch_pending, deliveries_dead_organization, deliveries_dead_endpoint,
        deliveries_finished;
      DROP TABLE redelivery_feed, redelivery_items, redelivery_batches;
    `);
  }
}
