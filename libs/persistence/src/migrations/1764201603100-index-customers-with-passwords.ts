import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexes } from './concurrent-indexes.js';

/** Adds an index on customers with a password in an order that is independent of all their fields. */
export class IndexCustomersWithPasswords1764201603100 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await createIndexes(runner, 'customers', {
      customers_password_order: '(project_id, uuid_hash_extended(id, 0)) WHERE password_hash IS NOT NULL',
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX customers_password_order');
  }
}
