import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the device that a customer registered with, and the time at which the owner of the email address last claimed
 * it.
 */
export class AddCustomerClaims1764201605000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE customers
        ADD COLUMN registration_device text,
        ADD COLUMN claimed_at timestamptz(3);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE customers DROP COLUMN registration_device, DROP COLUMN claimed_at');
  }
}
