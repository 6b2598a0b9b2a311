import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The index of external ids in the whole house finds those of an organization too. By itself: at the end of the migration
 * that makes it, the lock for this would wait for those who wait for that one's.
 */
export class IndexExternalIdsOnce1764115201000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX customers_external_id_organization');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX customers_external_id_organization ON customers (organization_id, external_id)
      WHERE external_id IS NOT NULL`);
  }
}
