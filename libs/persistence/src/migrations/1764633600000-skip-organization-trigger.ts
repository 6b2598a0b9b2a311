import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Skips the trigger that sets a customer's organization if the new row already contains one, as all rows from
 * imports do.
 */
export class SkipOrganizationTrigger1764633600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await replaceTrigger(runner, 'WHEN (NEW.organization_id IS NULL)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await replaceTrigger(runner, '');
  }
}

const replaceTrigger = (runner: QueryRunner, condition: string): Promise<void> =>
  runner.query(`
    CREATE OR REPLACE TRIGGER set_organization BEFORE INSERT ON customers
    FOR EACH ROW ${condition} EXECUTE FUNCTION set_customer_organization()`);
