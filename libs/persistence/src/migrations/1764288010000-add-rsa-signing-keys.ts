import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the RSA key that belongs to a signing key. The api adds it to existing keys, and to keys that a replica of
 * the previous version inserts.
 */
export class AddRsaSigningKeys1764288010000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE signing_keys ADD COLUMN rsa_private_key bytea');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE signing_keys DROP COLUMN rsa_private_key');
  }
}
