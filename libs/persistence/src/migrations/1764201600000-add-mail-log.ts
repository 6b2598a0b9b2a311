import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds dropped emails, reasons and mail server responses for the email log. The next migration validates the
 * constraint without an exclusive table lock.
 */
export class AddMailLog1764201600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE mails
        ADD COLUMN reason text,
        ADD COLUMN response text,
        DROP CONSTRAINT mails_state_check,
        ADD CONSTRAINT mails_state_check
          CHECK (state IN ('pending', 'sent', 'kept', 'failed', 'dropped')) NOT VALID;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM mails WHERE state = 'dropped' OR (project_id IS NOT NULL AND customer_id IS NULL);
      ALTER TABLE mails
        DROP CONSTRAINT mails_state_check,
        ADD CONSTRAINT mails_state_check CHECK (state IN ('pending', 'sent', 'kept', 'failed')),
        DROP COLUMN reason,
        DROP COLUMN response;
    `);
  }
}
