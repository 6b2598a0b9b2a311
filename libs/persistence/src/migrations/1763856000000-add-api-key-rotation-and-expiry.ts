import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds API key rotation and expiry notifications, and indexes API keys and projects by organization. */
export class AddApiKeyRotationAndExpiry1763856000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE api_keys
        ADD COLUMN rotated_at timestamptz(3),
        ADD COLUMN expiry_told_at timestamptz(3);
      CREATE INDEX api_keys_untold ON api_keys (expires_at)
        WHERE expires_at IS NOT NULL AND revoked_at IS NULL AND rotated_at IS NULL AND expiry_told_at IS NULL;
      CREATE INDEX api_keys_organization ON api_keys (organization_id)
        WHERE access = 'organization' AND revoked_at IS NULL;
      CREATE INDEX projects_organization ON projects (organization_id, id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX api_keys_untold, api_keys_organization, projects_organization;
      ALTER TABLE api_keys DROP COLUMN rotated_at, DROP COLUMN expiry_told_at;
    `);
  }
}
