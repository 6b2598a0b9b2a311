import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the log of emails: dropped emails, reasons, and responses of the mail server. Emails stay when their
 * customer is deleted. The constraints are validated by the next migration, without these locks.
 */
export class AddMailLog1764201600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Transactions of the api lock the customer first, so locking the emails first could deadlock with them.
    await runner.query(`
      LOCK TABLE customers IN SHARE ROW EXCLUSIVE MODE;
      ALTER TABLE mails
        ADD COLUMN reason text,
        ADD COLUMN response text,
        DROP CONSTRAINT mails_state_check,
        ADD CONSTRAINT mails_state_check
          CHECK (state IN ('pending', 'sent', 'kept', 'failed', 'dropped')) NOT VALID,
        DROP CONSTRAINT mails_customer_id_fkey,
        ADD CONSTRAINT mails_customer_id_fkey
          FOREIGN KEY (customer_id) REFERENCES customers (id) ON DELETE SET NULL NOT VALID;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      LOCK TABLE customers IN SHARE ROW EXCLUSIVE MODE;
      DELETE FROM mails WHERE state = 'dropped' OR (project_id IS NOT NULL AND customer_id IS NULL);
      ALTER TABLE mails
        DROP CONSTRAINT mails_customer_id_fkey,
        ADD CONSTRAINT mails_customer_id_fkey
          FOREIGN KEY (customer_id) REFERENCES customers (id) ON DELETE CASCADE,
        DROP CONSTRAINT mails_state_check,
        ADD CONSTRAINT mails_state_check CHECK (state IN ('pending', 'sent', 'kept', 'failed')),
        DROP COLUMN reason,
        DROP COLUMN response;
    `);
  }
}
