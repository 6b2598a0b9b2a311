import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds a session's authentication methods, and when the customer last proved their identity. All existing sessions
 * began with a password.
 */
export class AddSessionProofs1764288000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE sessions
        ADD COLUMN amr text[] NOT NULL DEFAULT '{pwd}',
        ADD COLUMN auth_time timestamptz(3);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sessions DROP COLUMN amr, DROP COLUMN auth_time');
  }
}
