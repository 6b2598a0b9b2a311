import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the person at a provider whom a completed challenge links to the customer. */
export class AddChallengeIdentity1764720016000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE challenges ADD COLUMN new_identity jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE challenges DROP COLUMN new_identity');
  }
}
