import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds user handles for passkeys that were created by another system. */
export class AddPasskeyUserHandles1764288060000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE passkeys ADD COLUMN user_handle bytea');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE passkeys DROP COLUMN user_handle');
  }
}
