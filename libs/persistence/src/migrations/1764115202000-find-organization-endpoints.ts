import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether an organization has endpoints of its own decides how its projects' dead letters are read. */
export class FindOrganizationEndpoints1764115202000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE INDEX webhook_endpoints_wide ON webhook_endpoints (organization_id) WHERE project_id IS NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX webhook_endpoints_wide');
  }
}
