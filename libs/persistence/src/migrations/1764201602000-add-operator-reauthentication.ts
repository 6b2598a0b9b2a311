import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the last reauthentication time to operator sessions. */
export class AddOperatorReauthentication1764201602000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE operator_sessions ADD COLUMN reauthenticated_at timestamptz(3)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE operator_sessions DROP COLUMN reauthenticated_at');
  }
}
