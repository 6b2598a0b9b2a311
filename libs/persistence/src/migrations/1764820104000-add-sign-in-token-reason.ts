import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the reason for creating a sign-in token. */
export class AddSignInTokenReason1764820104000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sign_in_tokens ADD COLUMN reason text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sign_in_tokens DROP COLUMN reason');
  }
}
