import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the secret for requests to a project's legacy system. */
export class AddLegacySignIn1764288070000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE projects ADD COLUMN legacy_sign_in_secret bytea');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE projects DROP COLUMN legacy_sign_in_secret');
  }
}
