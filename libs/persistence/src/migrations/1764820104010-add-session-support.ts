import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the API key and the reason of the sign-in token that started a session. */
export class AddSessionSupport1764820104010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sessions ADD COLUMN support_key_id uuid, ADD COLUMN support_reason text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sessions DROP COLUMN support_key_id, DROP COLUMN support_reason');
  }
}
