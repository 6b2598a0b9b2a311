import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When a signing key begins to sign. The default serves replicas of the version before, which do not name it. */
export class RotateSigningKeys1763769601000 implements MigrationInterface {
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
