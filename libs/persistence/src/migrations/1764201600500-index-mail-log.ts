import type { MigrationInterface, QueryRunner } from 'typeorm';
import { runInTransaction } from './migration-run.js';
import { createIndexes, dropIndex } from './concurrent-indexes.js';

/** Validates the state constraint, and adds indexes for the email log filters. */
export class IndexMailLog1764201600500 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runInTransaction(runner, () =>
      runner.query('ALTER TABLE mails VALIDATE CONSTRAINT mails_state_check'),
    );
    await createIndexes(runner, 'mails', {
      mails_customer_log: '(customer_id, id)',
      mails_recipient: '(recipient, id)',
      mails_over_project_limit: `(created_at) WHERE state = 'dropped' AND reason = 'project_limit'`,
    });
    await dropIndex(runner, 'mails_customer');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX mails_customer ON mails (customer_id);
      DROP INDEX mails_over_project_limit, mails_recipient, mails_customer_log;
    `);
  }
}
