import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds API key rate limits. */
export class AddApiKeyRateLimit1764460860000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_keys ADD COLUMN rate_limit integer');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_keys DROP COLUMN rate_limit');
  }
}
