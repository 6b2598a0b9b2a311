import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Allows operators' redelivery batches and audit entries, which belong to no organization. */
export class AllowNullOrganizations1764028805000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE audit_log ALTER COLUMN organization_id DROP NOT NULL;
      ALTER TABLE redelivery_batches ALTER COLUMN organization_id DROP NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM redelivery_batches WHERE organization_id IS NULL;
      ALTER TABLE redelivery_batches ALTER COLUMN organization_id SET NOT NULL;
      SELECT set_config('gatehouse.audit_retention', 'on', true);
      DELETE FROM audit_log WHERE organization_id IS NULL;
      ALTER TABLE audit_log ALTER COLUMN organization_id SET NOT NULL;
    `);
  }
}
