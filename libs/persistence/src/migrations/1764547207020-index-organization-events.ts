import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexes, dropIndex } from './concurrent-indexes.js';

/** Indexes events by organization. */
export class IndexOrganizationEvents1764547207020 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await createIndexes(runner, 'events', {
      events_organization: '(organization_id, id)',
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropIndex(runner, 'events_organization');
  }
}
