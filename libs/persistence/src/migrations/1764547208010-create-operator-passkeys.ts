import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the table for operators' passkeys, and adds pending passkey challenges to operator sessions. */
export class CreateOperatorPasskeys1764547208010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE operator_passkeys (
        id uuid PRIMARY KEY,
        operator_id uuid NOT NULL REFERENCES operators (id) ON DELETE CASCADE,
        credential_id bytea NOT NULL UNIQUE,
        public_key bytea NOT NULL,
        counter bigint NOT NULL,
        transports text[] NOT NULL,
        name text NOT NULL,
        last_used_at timestamptz(3),
        created_at timestamptz(3) NOT NULL DEFAULT now()
      );
      CREATE INDEX operator_passkeys_by_operator ON operator_passkeys (operator_id);
      ALTER TABLE operator_sessions
        ADD COLUMN passkey_challenge bytea,
        ADD COLUMN passkey_purpose text,
        ADD COLUMN passkey_expires_at timestamptz(3);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE operator_sessions
        DROP COLUMN passkey_challenge, DROP COLUMN passkey_purpose, DROP COLUMN passkey_expires_at;
      DROP TABLE operator_passkeys;
    `);
  }
}
