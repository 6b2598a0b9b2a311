import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexes } from './concurrent-indexes.js';

/** Indexes the failed logins that can lock a customer, for the list of locked customers. */
export class IndexLockedCustomers1764547205000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // A project can set the limit to 3 or more. A password is blocked after 100 guesses.
    await createIndexes(runner, 'login_attempts', {
      login_attempts_locked: '(window_ends_at, customer_id) WHERE customer_id IS NOT NULL AND tries >= 3',
      login_attempts_closed: '(window_ends_at, customer_id) WHERE customer_id IS NOT NULL AND guesses >= 100',
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX login_attempts_closed, login_attempts_locked');
  }
}
