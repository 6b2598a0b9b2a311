import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the browsers that operators have signed in with, so that they can be notified of sign-ins with a new browser.
 */
export class AddOperatorBrowsers1764201602001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE operator_addresses ADD COLUMN browsers text[] NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE operator_addresses DROP COLUMN browsers');
  }
}
