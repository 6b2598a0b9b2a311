import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Indexes organization-level endpoints. If an organization has no such endpoint, a project's dead letters can be
 * read with the project index.
 */
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
