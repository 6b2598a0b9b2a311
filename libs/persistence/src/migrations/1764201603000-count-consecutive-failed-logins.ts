import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the number of consecutive failures, which determines the window length, and the guesses at a customer's
 * password. The indexes are for the removal of rows 90 days after the last failure.
 */
export class CountConsecutiveFailedLogins1764201603000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE login_attempts
        ADD COLUMN failures integer NOT NULL DEFAULT 0,
        ADD COLUMN failed_at timestamptz(3) NOT NULL DEFAULT now(),
        ADD COLUMN guesses integer NOT NULL DEFAULT 0,
        ADD COLUMN customer_id uuid,
        ADD COLUMN closed_at timestamptz(3);
      CREATE INDEX login_attempts_age ON login_attempts (window_ends_at);

      ALTER TABLE operator_login_attempts
        ADD COLUMN failures integer NOT NULL DEFAULT 0,
        ADD COLUMN failed_at timestamptz(3) NOT NULL DEFAULT now();
      CREATE INDEX operator_login_attempts_age ON operator_login_attempts (window_ends_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX operator_login_attempts_age;
      ALTER TABLE operator_login_attempts DROP COLUMN failures, DROP COLUMN failed_at;
      DROP INDEX login_attempts_age;
      ALTER TABLE login_attempts
        DROP COLUMN failures, DROP COLUMN failed_at, DROP COLUMN guesses, DROP COLUMN customer_id,
        DROP COLUMN closed_at;
    `);
  }
}
