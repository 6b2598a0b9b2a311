import type { MigrationInterface, QueryRunner } from 'typeorm';

const fullName = `lower(coalesce(first_name || ' ', '') || coalesce(last_name, '')) COLLATE "C"`;
const lastName = `lower(last_name) COLLATE "C"`;

/**
 * Ways to find customers among a million, by project and by organization, and what is still to
 * be erased of those who were deleted.
 */
export class FindAndEraseCustomers1763856010000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.knowTheOrganization(runner);
    await this.indexCustomers(runner);
    await runner.query(`
      CREATE TABLE erasures (
        customer_id uuid PRIMARY KEY,
        -- Their events are erased up to this one.
        last_event_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'
      );
      -- Those who were deleted by versions before.
      INSERT INTO erasures (customer_id)
        SELECT DISTINCT e.customer_id FROM events e LEFT JOIN customers c ON c.id = e.customer_id
        WHERE e.customer_id IS NOT NULL AND c.id IS NULL;

      ALTER TABLE idempotency_keys ADD COLUMN customer_id uuid;
      CREATE INDEX idempotency_keys_customer ON idempotency_keys (customer_id) WHERE customer_id IS NOT NULL;
    `);
  }

  /** The organization of a customer's project never changes, so that it can stand in indexes of customers. */
  private async knowTheOrganization(runner: QueryRunner): Promise<void> {
    // By a trigger: replicas of the version before do not name it.
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
      -- So that the planner knows the large ones among very many.
      ALTER TABLE customers ALTER COLUMN project_id SET STATISTICS 1000, ALTER COLUMN organization_id SET STATISTICS 1000;
    `);
    await runner.query(
      `UPDATE customers c SET organization_id = p.organization_id FROM projects p WHERE p.id = c.project_id`,
    );
  }

  /** One statement each, so that each has the time-out for itself. */
  private async indexCustomers(runner: QueryRunner): Promise<void> {
    // Instead of the constraint: unique as well, and in the order of bytes, in which a prefix is a range.
    await runner.query(
      `CREATE UNIQUE INDEX customers_email_project ON customers (project_id, email text_pattern_ops)`,
    );
    await runner.query(`ALTER TABLE customers DROP CONSTRAINT customers_project_id_email_key`);
    // One address can be in many projects; their ids are in order too.
    await runner.query(
      `CREATE INDEX customers_email_organization ON customers (organization_id, email COLLATE "C", id)`,
    );
    await runner.query(`
      CREATE INDEX customers_external_id_organization ON customers (organization_id, external_id)
      WHERE external_id IS NOT NULL`);
    for (const scope of ['project', 'organization']) {
      // The flags come first: each of their four combinations is a list of its own, newest last.
      await runner.query(`
        CREATE INDEX customers_created_${scope} ON customers
          (${scope}_id, email_verified, ((disabled_at IS NOT NULL)::int), created_at, id)`);
      await runner.query(`
        CREATE INDEX customers_login_${scope} ON customers (${scope}_id, last_login_at, id)
        WHERE last_login_at IS NOT NULL`);
      await runner.query(`
        CREATE INDEX customers_name_${scope} ON customers (${scope}_id, (${fullName}), id)
        WHERE first_name IS NOT NULL OR last_name IS NOT NULL`);
      // Who has a last name only is found by the full name.
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
