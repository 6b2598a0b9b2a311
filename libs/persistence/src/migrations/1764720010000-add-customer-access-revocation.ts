import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the time at which a customer's access was last revoked. */
export class AddCustomerAccessRevocation1764720010000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE customers ADD COLUMN access_revoked_at timestamptz(3)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE customers DROP COLUMN access_revoked_at');
  }
}
