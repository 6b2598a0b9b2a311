import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the hosted page flow that a challenge belongs to. */
export class AddChallengeFlow1764720012000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE challenges ADD COLUMN flow_hash bytea');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE challenges DROP COLUMN flow_hash');
  }
}
