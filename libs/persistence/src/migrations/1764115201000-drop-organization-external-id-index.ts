import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Drops the external id index that the installation-wide one replaces. This is a separate migration to prevent a
 * deadlock: the drop would wait for transactions that wait for the lock of the index creation.
 */
export class DropOrganizationExternalIdIndex1764115201000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX customers_external_id_organization');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX customers_external_id_organization ON customers (organization_id, external_id)
      WHERE external_id IS NOT NULL`);
  }
}
