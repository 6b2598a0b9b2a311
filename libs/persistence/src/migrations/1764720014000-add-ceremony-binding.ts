import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the page or the sign-in challenge that a passkey ceremony is bound to. */
export class AddCeremonyBinding1764720014000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE passkey_ceremonies ADD COLUMN binding_hash bytea');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE passkey_ceremonies DROP COLUMN binding_hash');
  }
}
