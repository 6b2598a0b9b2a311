import type { MigrationInterface, QueryRunner } from 'typeorm';

const fullName = `lower(coalesce(first_name || ' ', '') || coalesce(last_name, '')) COLLATE "C"`;
const lastName = `lower(last_name) COLLATE "C"`;

/**
 * True for all customers. Only queries that repeat this condition use these indexes
 * (customer-directory.repository.ts).
 */
const isAnyCustomer = `id <> '00000000-0000-0000-0000-000000000000'`;

/**
 * Adds customer indexes that do not start with an organization, so that operators can search the whole installation.
 */
export class AddSystemCustomerIndexes1764115200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Each index has its own statement, because the timeout applies per statement.
    for (const index of [
      `customers_created_house ON customers (email_verified, ((disabled_at IS NOT NULL)::int), created_at, id)
       WHERE ${isAnyCustomer}`,
      `customers_login_house ON customers (last_login_at, id) WHERE last_login_at IS NOT NULL AND ${isAnyCustomer}`,
      `customers_email_house ON customers (email COLLATE "C", id) WHERE ${isAnyCustomer}`,
      `customers_name_house ON customers ((${fullName}), id)
       WHERE (first_name IS NOT NULL OR last_name IS NOT NULL) AND ${isAnyCustomer}`,
      `customers_last_name_house ON customers ((${lastName}), id)
       WHERE first_name IS NOT NULL AND last_name IS NOT NULL AND ${isAnyCustomer}`,
      // Also serves searches in an organization, which compare both columns for equality.
      `customers_external_id ON customers (external_id, organization_id) WHERE external_id IS NOT NULL`,
    ]) {
      await runner.query(`CREATE INDEX ${index}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX customers_created_house, customers_login_house, customers_email_house, customers_name_house,
        customers_last_name_house, customers_external_id
    `);
  }
}
