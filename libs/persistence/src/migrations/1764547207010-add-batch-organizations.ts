import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the organizations that a bulk redelivery by an operator is limited to; null for no limit. */
export class AddBatchOrganizations1764547207010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE redelivery_batches ADD COLUMN organization_ids uuid[]');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE redelivery_batches DROP COLUMN organization_ids');
  }
}
