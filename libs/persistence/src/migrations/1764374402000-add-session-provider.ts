import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the identity provider that a session was started with. */
export class AddSessionProvider1764374402000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sessions ADD COLUMN provider_id uuid');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sessions DROP COLUMN provider_id');
  }
}
