import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds a flag for identities whose customer was created by a sign-in that did not reveal the account (ADR 0098). */
export class AddPendingIdentities1764900098000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE identities ADD COLUMN is_pending boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE identities DROP COLUMN is_pending');
  }
}
