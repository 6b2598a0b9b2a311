import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds which customers an import has created. */
export class AddImportedCustomers1764288071000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE customers ADD COLUMN imported boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE customers DROP COLUMN imported');
  }
}
