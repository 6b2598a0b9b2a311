import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexes, dropIndex } from './concurrent-indexes.js';

/** Indexes the events that identity rollups count, in feed order. */
export class IndexIdentityEvents1764547209010 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await createIndexes(runner, 'events', {
      events_identity:
        "(xact, id) WHERE type IN ('customer.created', 'customer.locked', 'login.failed', 'login.succeeded')",
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropIndex(runner, 'events_identity');
  }
}
