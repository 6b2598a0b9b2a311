import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the identity that is linked to the customer when a challenge is completed. */
export class AddChallengeIdentity1764720016000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE challenges ADD COLUMN new_identity jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE challenges DROP COLUMN new_identity');
  }
}
