import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds webhook endpoint names. */
export class AddEndpointName1764547202000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhook_endpoints ADD COLUMN name text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhook_endpoints DROP COLUMN name');
  }
}
