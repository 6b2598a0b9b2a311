import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds RSA private keys to signing keys. API processes create them for existing keys, and for keys that a replica
 * on the previous version inserts.
 */
export class AddRsaSigningKeys1764288010000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE signing_keys ADD COLUMN rsa_private_key bytea');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE signing_keys DROP COLUMN rsa_private_key');
  }
}
