import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the flag that a customer needs a second factor, and the time since which a newer identity proof is required.
 * The columns may exist: an earlier form of CreateSecondFactors added them.
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
