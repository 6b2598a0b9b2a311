import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexes } from './concurrent-indexes.js';

const indexes = {
  // A delivery enters these two only when it finishes, after the updates on the hot path.
  deliveries_finished_project: `(project_id, state, id) WHERE state IN ('succeeded', 'cancelled')`,
  deliveries_finished_organization: `(organization_id, state, id) WHERE state IN ('succeeded', 'cancelled')`,
  // These three contain no successful deliveries.
  deliveries_cancelled: `(id) WHERE state = 'cancelled'`,
  deliveries_cancelled_endpoint: `(endpoint_id, id) WHERE state = 'cancelled'`,
  deliveries_resolved_organization: `(organization_id, resolution, id) WHERE state = 'failed' AND resolution IS NOT NULL`,
};

/** Adds indexes for the delivery list. */
export class IndexDeliveryLists1764547203000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await createIndexes(runner, 'deliveries', indexes);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX ${Object.keys(indexes).join(', ')}`);
  }
}
