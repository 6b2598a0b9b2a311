import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds customers' preferred languages. */
export class AddCustomerLocale1764201601000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE customers ADD COLUMN locale text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE customers DROP COLUMN locale');
  }
}
