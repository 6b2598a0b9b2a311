import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Indexes endpoints of organization level: without any, dead letters of a project are read in another way. */
export class IndexOrganizationEndpoints1764115202000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE INDEX webhook_endpoints_wide ON webhook_endpoints (organization_id) WHERE project_id IS NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX webhook_endpoints_wide');
  }
}
