import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the columns that an updating import compares with a customer (ADR 0104), and warnings about values that were
 * left out of imported lines (ADR 0103).
 */
export class AddImportUpdates1764900120000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE customers ADD COLUMN import_updated_at timestamptz(3);
      ALTER TABLE imports ADD COLUMN updated integer NOT NULL DEFAULT 0,
        ADD COLUMN unchanged integer NOT NULL DEFAULT 0,
        ADD COLUMN incomplete integer NOT NULL DEFAULT 0`);
    // NOT VALID, because checking every row would lock the table. All existing rows meet the previous, narrower
    // condition.
    await runner.query(`
      ALTER TABLE import_failures ADD COLUMN warnings jsonb NOT NULL DEFAULT '[]',
        DROP CONSTRAINT import_failures_status_check,
        ADD CONSTRAINT import_failures_status_check
          CHECK (status IN ('created', 'updated', 'skipped', 'failed')) NOT VALID`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM import_failures WHERE status IN ('created', 'updated');
      ALTER TABLE import_failures DROP COLUMN warnings,
        DROP CONSTRAINT import_failures_status_check,
        ADD CONSTRAINT import_failures_status_check CHECK (status IN ('skipped', 'failed'));
      ALTER TABLE imports DROP COLUMN updated, DROP COLUMN unchanged, DROP COLUMN incomplete;
      ALTER TABLE customers DROP COLUMN import_updated_at`);
  }
}
