import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the session in which an authenticator was created. */
export class AddPendingFactorSession1764720017000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE totp_factors ADD COLUMN session_id uuid');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE totp_factors DROP COLUMN session_id');
  }
}
