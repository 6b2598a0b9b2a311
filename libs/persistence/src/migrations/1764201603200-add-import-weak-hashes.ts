import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the count of customers that an import created with a password hash that is too cheap. */
export class AddImportWeakHashes1764201603200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE imports ADD COLUMN weak_hashes integer NOT NULL DEFAULT 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE imports DROP COLUMN weak_hashes');
  }
}
