import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Marks the customers without a password that were created by an import. The migration that adds the column cannot do
 * this, because it would lock the table until the last row is marked.
 */
export class MarkImportedCustomers1764288072000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Only an import sets `updated_at` to a time before the row was created, which the id contains. Every later
    // change sets it to the current time, so these customers have not changed since their import.
    await runner.query(`
      UPDATE customers SET imported = true
      WHERE password_hash IS NULL AND substr(id::text, 15, 1) = '7'
        AND updated_at + interval '1 day' < to_timestamp(
          ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)
    `);
  }

  async down(): Promise<void> {
    // The next migration to be reverted drops the column.
  }
}
