import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the log of emails: dropped emails, reasons, responses of the mail server, and indexes for its filters.
 * Emails stay when their customer is deleted.
 */
export class AddMailLog1764201600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Each statement is separate, because the timeout applies to a statement.
    for (const statement of [
      `ALTER TABLE mails
         ADD COLUMN reason text,
         ADD COLUMN response text,
         DROP CONSTRAINT mails_state_check,
         ADD CONSTRAINT mails_state_check
           CHECK (state IN ('pending', 'sent', 'kept', 'failed', 'dropped')) NOT VALID`,
      `ALTER TABLE mails VALIDATE CONSTRAINT mails_state_check`,
      `ALTER TABLE mails
         DROP CONSTRAINT mails_customer_id_fkey,
         ADD CONSTRAINT mails_customer_id_fkey
           FOREIGN KEY (customer_id) REFERENCES customers (id) ON DELETE SET NULL NOT VALID`,
      `ALTER TABLE mails VALIDATE CONSTRAINT mails_customer_id_fkey`,
      `CREATE INDEX mails_customer_log ON mails (customer_id, id)`,
      `DROP INDEX mails_customer`,
      `CREATE INDEX mails_recipient ON mails (recipient, id)`,
      `CREATE INDEX mails_over_project_limit ON mails (created_at)
         WHERE state = 'dropped' AND reason = 'project_limit'`,
    ]) {
      await runner.query(statement);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM mails WHERE state = 'dropped' OR (project_id IS NOT NULL AND customer_id IS NULL);
      DROP INDEX mails_over_project_limit, mails_recipient, mails_customer_log;
      CREATE INDEX mails_customer ON mails (customer_id);
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
