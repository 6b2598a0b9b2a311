import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the table of reauthentication codes that customers receive by email. */
export class CreateReauthenticationCodes1764288041000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE reauthentication_codes (
        session_id uuid PRIMARY KEY REFERENCES sessions ON DELETE CASCADE,
        code_hash bytea NOT NULL,
        guesses integer NOT NULL DEFAULT 0,
        expires_at timestamptz(3) NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now()
      );
      CREATE INDEX reauthentication_codes_age ON reauthentication_codes (expires_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE reauthentication_codes');
  }
}
