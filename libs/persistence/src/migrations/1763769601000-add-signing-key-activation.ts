import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the time at which a key starts to sign. Replicas on the previous version insert keys without it, so it has a
 * default.
 */
export class AddSigningKeyActivation1763769601000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE signing_keys ADD COLUMN activates_at timestamptz(3) NOT NULL DEFAULT now();
      UPDATE signing_keys SET activates_at = created_at;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE signing_keys DROP COLUMN activates_at`);
  }
}
