import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Validates the constraint of the log of emails, and adds indexes for its filters. */
export class IndexMailLog1764201600500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Each statement is separate, because the timeout applies to a statement.
    for (const statement of [
      `ALTER TABLE mails VALIDATE CONSTRAINT mails_state_check`,
      `CREATE INDEX mails_customer_log ON mails (customer_id, id)`,
      `CREATE INDEX mails_recipient ON mails (recipient, id)`,
      `CREATE INDEX mails_over_project_limit ON mails (created_at)
         WHERE state = 'dropped' AND reason = 'project_limit'`,
      `DROP INDEX mails_customer`,
    ]) {
      await runner.query(statement);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX mails_customer ON mails (customer_id);
      DROP INDEX mails_over_project_limit, mails_recipient, mails_customer_log;
    `);
  }
}
