import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Links an event to the audit log entry for the same change, so that lists with both can show the change once. */
export class AddEventAuditEntry1764547206000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE events ADD COLUMN audit_entry_id uuid');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE events DROP COLUMN audit_entry_id');
  }
}
