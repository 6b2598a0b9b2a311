import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds a flag for customers that were created by an import. */
export class AddImportedCustomers1764288071000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE customers ADD COLUMN imported boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE customers DROP COLUMN imported');
  }
}
