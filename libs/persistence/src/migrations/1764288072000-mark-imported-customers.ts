import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Marks the customers without a password that an import has created. Not in the transaction that adds the column, whose
 * lock on the table would last until the last row is marked.
 */
export class MarkImportedCustomers1764288072000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Only an import sets the time of the last change to one before the row was created, which its id contains.
    // Any later change sets it to the current time, so these customers are unchanged since their import.
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
