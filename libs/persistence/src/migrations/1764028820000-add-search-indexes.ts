import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds indexes for operators, who can search the whole installation, and for resolved dead letters. The indexes
 * exclude successful deliveries.
 */
export class AddSearchIndexes1764028820000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Each index has its own statement, because the timeout applies per statement.
    const isResolved = `WHERE state = 'failed' AND resolution IS NOT NULL`;
    for (const index of [
      `attempts_failed_house ON attempts (id) WHERE NOT success`,
      `deliveries_dead_house ON deliveries (id) WHERE state = 'failed' AND resolution IS NULL`,
      `deliveries_resolved_house ON deliveries (resolution, id) ${isResolved}`,
      `deliveries_resolved_project ON deliveries (project_id, resolution, id) ${isResolved}`,
      `deliveries_resolved_endpoint ON deliveries (endpoint_id, resolution, id) ${isResolved}`,
      // Indexes a URL prefix, because index entries have a maximum size.
      `webhook_endpoints_url ON webhook_endpoints ((left(url, 256) COLLATE "C"))`,
      `projects_name ON projects ((lower(name) COLLATE "C"))`,
      `projects_slug ON projects ((slug COLLATE "C"))`,
      `organizations_name ON organizations ((lower(name) COLLATE "C"))`,
      `organizations_slug ON organizations ((slug COLLATE "C"))`,
      `api_keys_prefix ON api_keys ((prefix COLLATE "C"))`,
    ]) {
      await runner.query(`CREATE INDEX ${index}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX attempts_failed_house, deliveries_dead_house, deliveries_resolved_house, deliveries_resolved_project,
        deliveries_resolved_endpoint, webhook_endpoints_url, projects_name, projects_slug, organizations_name,
        organizations_slug, api_keys_prefix
    `);
  }
}
