import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds customers' second factor policy, and the time after which they must prove their identity again. The columns
 * may already exist, because an earlier version of CreateSecondFactors added them.
 */
export class AddCustomerMfa1764288002100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE customers
        ADD COLUMN IF NOT EXISTS mfa text NOT NULL DEFAULT 'inherit',
        ADD COLUMN IF NOT EXISTS proof_required_at timestamptz(3);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE customers DROP COLUMN mfa, DROP COLUMN proof_required_at');
  }
}
