import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexes } from './concurrent-indexes.js';

/** Indexes unsent emails by age, and sent and captured emails by the time at which they were processed. */
export class IndexUnsentMails1764740020000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await createIndexes(runner, 'mails', {
      mails_unsent: `(state, created_at) WHERE state IN ('pending', 'failed')`,
      mails_accepted: `(finished_at) WHERE state IN ('sent', 'kept')`,
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX mails_accepted, mails_unsent');
  }
}
