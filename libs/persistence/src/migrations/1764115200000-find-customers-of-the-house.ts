import type { MigrationInterface, QueryRunner } from 'typeorm';

const fullName = `lower(coalesce(first_name || ' ', '') || coalesce(last_name, '')) COLLATE "C"`;
const lastName = `lower(last_name) COLLATE "C"`;

/** Everybody: who does not say so walks other indexes (customer-directory.repository.ts). */
const ofTheHouse = `id <> '00000000-0000-0000-0000-000000000000'`;

/** Operators find customers in the whole house, however many organizations it has: by indexes that begin with none. */
export class FindCustomersOfTheHouse1764115200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // One statement each, so that each has the time-out for itself.
    for (const index of [
      `customers_created_house ON customers (email_verified, ((disabled_at IS NOT NULL)::int), created_at, id)
       WHERE ${ofTheHouse}`,
      `customers_login_house ON customers (last_login_at, id) WHERE last_login_at IS NOT NULL AND ${ofTheHouse}`,
      `customers_email_house ON customers (email COLLATE "C", id) WHERE ${ofTheHouse}`,
      `customers_name_house ON customers ((${fullName}), id)
       WHERE (first_name IS NOT NULL OR last_name IS NOT NULL) AND ${ofTheHouse}`,
      `customers_last_name_house ON customers ((${lastName}), id)
       WHERE first_name IS NOT NULL AND last_name IS NOT NULL AND ${ofTheHouse}`,
      // Of an organization as well: both columns are compared with one value.
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
