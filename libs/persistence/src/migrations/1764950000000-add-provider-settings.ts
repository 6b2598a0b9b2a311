import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds a provider's protocol settings and a flow's protocol state, each as one encrypted document (docs/adr/0110).
 * Earlier versions continue to read and write the existing columns.
 */
export class AddProviderSettings1764950000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE identity_providers ADD COLUMN settings bytea, ADD COLUMN settings_updated_at timestamptz(3)',
    );
    await runner.query('ALTER TABLE oauth_flows ADD COLUMN flow_state bytea');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE oauth_flows DROP COLUMN flow_state');
    await runner.query(
      'ALTER TABLE identity_providers DROP COLUMN settings, DROP COLUMN settings_updated_at',
    );
  }
}
