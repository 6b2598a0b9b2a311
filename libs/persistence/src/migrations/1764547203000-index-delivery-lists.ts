import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexes } from './concurrent-indexes.js';

const indexes = {
  // A delivery enters these two once, when it ends. Updates on the hot path happen before.
  deliveries_finished_project: `(project_id, state, id) WHERE state IN ('succeeded', 'cancelled')`,
  deliveries_finished_organization: `(organization_id, state, id) WHERE state IN ('succeeded', 'cancelled')`,
  // Deliveries that succeed are in none of these.
  deliveries_cancelled: `(id) WHERE state = 'cancelled'`,
  deliveries_cancelled_endpoint: `(endpoint_id, id) WHERE state = 'cancelled'`,
  deliveries_resolved_organization: `(organization_id, resolution, id) WHERE state = 'failed' AND resolution IS NOT NULL`,
};

/** Adds the delivery list's indexes. */
export class IndexDeliveryLists1764547203000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await createIndexes(runner, 'deliveries', indexes);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX ${Object.keys(indexes).join(', ')}`);
  }
}
