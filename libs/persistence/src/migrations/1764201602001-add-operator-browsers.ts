import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the browsers with which operators have signed in, to notify them about sign-ins with other browsers. */
export class AddOperatorBrowsers1764201602001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE operator_addresses ADD COLUMN browsers text[] NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE operator_addresses DROP COLUMN browsers');
  }
}
