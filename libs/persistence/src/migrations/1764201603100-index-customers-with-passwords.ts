import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexes } from './concurrent-indexes.js';

/** Indexes customers with a password by a hash of their id, an order that is independent of all other fields. */
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
