import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the time of the last second factor verification in a session. The column may already exist (see
 * AddCustomerMfa).
 */
export class AddSessionFactorTime1764288002300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sessions ADD COLUMN IF NOT EXISTS factor_time timestamptz(3)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sessions DROP COLUMN factor_time');
  }
}
