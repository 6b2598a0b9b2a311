import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds a flag that states whether an identity provider's ID tokens contain `auth_time` (ADR 0097). Null while this
 * is not known.
 */
export class AddAuthTimeStatement1764816500600 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE identity_providers ADD COLUMN states_auth_time boolean');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE identity_providers DROP COLUMN states_auth_time');
  }
}
