import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates a table for customers at the billing provider, with the idempotency key for creating them there. */
export class CreateBillingCustomers1763856001000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE billing_customers (
        organization_id uuid PRIMARY KEY REFERENCES organizations (id),
        creation_key uuid NOT NULL DEFAULT gen_random_uuid(),
        customer_id text
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE billing_customers');
  }
}
