import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexes } from './concurrent-indexes.js';

/** Indexes the failed second factor attempts that can lock a customer, for the list of locked customers. */
export class IndexLockedFactors1764547205001 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await createIndexes(runner, 'factor_attempts', {
      factor_attempts_locked: '(window_ends_at, customer_id) WHERE tries >= 3',
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX factor_attempts_locked');
  }
}
