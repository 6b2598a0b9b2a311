import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Marks identities whose customers were created by a sign-in that revealed nothing (ADR 0098). */
export class AddPendingIdentities1764900098000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE identities ADD COLUMN is_pending boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE identities DROP COLUMN is_pending');
  }
}
