import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the number of customers that an import created with a weak password hash. */
export class AddImportWeakHashes1764201603200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE imports ADD COLUMN weak_hashes integer NOT NULL DEFAULT 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE imports DROP COLUMN weak_hashes');
  }
}
