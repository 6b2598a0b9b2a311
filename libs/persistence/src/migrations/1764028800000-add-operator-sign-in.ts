import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds operator sign-in to the console. Audit entries about operators have no organization, and emails to operators
 * have no project.
 */
export class AddOperatorSignIn1764028800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE operators
        ALTER COLUMN password_hash DROP NOT NULL,
        ADD COLUMN name text,
        ADD COLUMN totp_secret bytea,
        ADD COLUMN totp_step bigint NOT NULL DEFAULT 0,
        ADD COLUMN recovery_codes bytea[] NOT NULL DEFAULT '{}',
        ADD COLUMN disabled_at timestamptz(3),
        ADD COLUMN last_login_at timestamptz(3),
        ADD COLUMN updated_at timestamptz(3) NOT NULL DEFAULT now();

      CREATE TABLE operator_sessions (
        id uuid PRIMARY KEY,
        operator_id uuid NOT NULL REFERENCES operators (id),
        token_hash bytea NOT NULL UNIQUE,
        stage text NOT NULL CHECK (stage IN ('second_factor', 'enrollment', 'signed_in')),
        new_totp_secret bytea,
        ip text,
        user_agent text,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        last_seen_at timestamptz(3) NOT NULL DEFAULT now(),
        ends_at timestamptz(3) NOT NULL
      );
      CREATE INDEX operator_sessions_operator ON operator_sessions (operator_id);

      CREATE TABLE operator_links (
        token_hash bytea PRIMARY KEY,
        operator_id uuid REFERENCES operators (id),
        expires_at timestamptz(3) NOT NULL
      );

      CREATE TABLE operator_login_attempts (
        email_hash bytea PRIMARY KEY,
        tries integer NOT NULL,
        granted boolean NOT NULL,
        window_ends_at timestamptz(3) NOT NULL
      );

      ALTER TABLE audit_log ALTER COLUMN organization_id DROP NOT NULL;
      ALTER TABLE mails ALTER COLUMN project_id DROP NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM mails WHERE project_id IS NULL;
      ALTER TABLE mails ALTER COLUMN project_id SET NOT NULL;
      ALTER TABLE audit_log DISABLE TRIGGER audit_log_kept;
      DELETE FROM audit_log WHERE organization_id IS NULL;
      ALTER TABLE audit_log ENABLE TRIGGER audit_log_kept;
      ALTER TABLE audit_log ALTER COLUMN organization_id SET NOT NULL;
      DROP TABLE operator_login_attempts, operator_links, operator_sessions;
      DELETE FROM operators WHERE password_hash IS NULL;
      ALTER TABLE operators
        ALTER COLUMN password_hash SET NOT NULL,
        DROP COLUMN name, DROP COLUMN totp_secret, DROP COLUMN totp_step, DROP COLUMN recovery_codes,
        DROP COLUMN disabled_at, DROP COLUMN last_login_at, DROP COLUMN updated_at;
    `);
  }
}
