import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the secret of the requests to the previous system of a project. */
export class AddLegacySignIn1764288070000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE projects ADD COLUMN legacy_sign_in_secret bytea');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE projects DROP COLUMN legacy_sign_in_secret');
  }
}
