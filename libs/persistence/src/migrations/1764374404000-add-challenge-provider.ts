import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the identity provider that a challenge's sign-in began with. */
export class AddChallengeProvider1764374404000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE challenges ADD COLUMN provider_id uuid');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE challenges DROP COLUMN provider_id');
  }
}
