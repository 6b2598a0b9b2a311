import type { MigrationInterface, QueryRunner } from 'typeorm';

const fullName = `lower(coalesce(first_name || ' ', '') || coalesce(last_name, '')) COLLATE "C"`;
const lastName = `lower(last_name) COLLATE "C"`;

/** Indexes customers by project and by organization, and creates the table for the erasure of deleted customers. */
export class AddCustomerIndexesAndErasures1763856010000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.addOrganization(runner);
    await this.indexCustomers(runner);
    await runner.query(`
      CREATE TABLE erasures (
        customer_id uuid PRIMARY KEY,
        -- Events up to this one are erased.
        last_event_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'
      );
      -- Customers that previous versions deleted.
      INSERT INTO erasures (customer_id)
        SELECT DISTINCT e.customer_id FROM events e LEFT JOIN customers c ON c.id = e.customer_id
        WHERE e.customer_id IS NOT NULL AND c.id IS NULL;

      ALTER TABLE idempotency_keys ADD COLUMN customer_id uuid;
      CREATE INDEX idempotency_keys_customer ON idempotency_keys (customer_id) WHERE customer_id IS NOT NULL;
    `);
  }

  /** Adds the organization to customers, so that indexes can contain it. A project never changes its organization. */
  private async addOrganization(runner: QueryRunner): Promise<void> {
    // A trigger sets it, because the previous version's replicas do not.
    await runner.query(`
      ALTER TABLE customers ADD COLUMN organization_id uuid;
      CREATE FUNCTION set_customer_organization() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          SELECT organization_id INTO NEW.organization_id FROM projects WHERE id = NEW.project_id;
          RETURN NEW;
        END
      $$;
      CREATE TRIGGER set_organization BEFORE INSERT ON customers
        FOR EACH ROW EXECUTE FUNCTION set_customer_organization();
      -- With very many projects, the planner still has to know how many customers the large ones have.
      ALTER TABLE customers ALTER COLUMN project_id SET STATISTICS 1000, ALTER COLUMN organization_id SET STATISTICS 1000;
    `);
    await runner.query(
      `UPDATE customers c SET organization_id = p.organization_id FROM projects p WHERE p.id = c.project_id`,
    );
  }

  /** Creates each index in its own statement, because the timeout applies per statement. */
  private async indexCustomers(runner: QueryRunner): Promise<void> {
    // Replaces the unique constraint. In byte order, a prefix search is a range scan.
    await runner.query(
      `CREATE UNIQUE INDEX customers_email_project ON customers (project_id, email text_pattern_ops)`,
    );
    await runner.query(`ALTER TABLE customers DROP CONSTRAINT customers_project_id_email_key`);
    // Many projects can have a customer with the same address, so the id makes the order unique.
    await runner.query(
      `CREATE INDEX customers_email_organization ON customers (organization_id, email COLLATE "C", id)`,
    );
    await runner.query(`
      CREATE INDEX customers_external_id_organization ON customers (organization_id, external_id)
      WHERE external_id IS NOT NULL`);
    for (const scope of ['project', 'organization']) {
      // The flags come first, so that each of their four combinations is a range in creation order.
      await runner.query(`
        CREATE INDEX customers_created_${scope} ON customers
          (${scope}_id, email_verified, ((disabled_at IS NOT NULL)::int), created_at, id)`);
      await runner.query(`
        CREATE INDEX customers_login_${scope} ON customers (${scope}_id, last_login_at, id)
        WHERE last_login_at IS NOT NULL`);
      await runner.query(`
        CREATE INDEX customers_name_${scope} ON customers (${scope}_id, (${fullName}), id)
        WHERE first_name IS NOT NULL OR last_name IS NOT NULL`);
      // Customers with only a last name are found by their full name.
      await runner.query(`
        CREATE INDEX customers_last_name_${scope} ON customers (${scope}_id, (${lastName}), id)
        WHERE first_name IS NOT NULL AND last_name IS NOT NULL`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE idempotency_keys DROP COLUMN customer_id;
      DROP TABLE erasures;
      ALTER TABLE customers ADD UNIQUE (project_id, email);
      DROP INDEX customers_email_project, customers_name_project, customers_last_name_project,
        customers_created_project, customers_login_project;
      DROP TRIGGER set_organization ON customers;
      DROP FUNCTION set_customer_organization;
      ALTER TABLE customers DROP COLUMN organization_id;
    `);
  }
}
