import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the tables of emailed sign-in codes and of wrong guesses. */
export class CreateEmailCodes1764288020000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE email_codes (
        token_hash bytea PRIMARY KEY,
        project_id uuid NOT NULL REFERENCES projects (id),
        email text NOT NULL,
        code_hash bytea,
        is_short boolean NOT NULL,
        guesses integer NOT NULL DEFAULT 0,
        consumed_at timestamptz(3),
        expires_at timestamptz(3) NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now()
      );
      CREATE INDEX email_codes_address ON email_codes (project_id, email, created_at);
      CREATE INDEX email_codes_age ON email_codes (expires_at);

      CREATE TABLE email_code_attempts (
        project_id uuid NOT NULL REFERENCES projects (id),
        email_hash bytea NOT NULL,
        tries integer NOT NULL,
        known_tries integer NOT NULL DEFAULT 0,
        granted text,
        failures integer NOT NULL,
        failed_at timestamptz(3) NOT NULL DEFAULT now(),
        window_ends_at timestamptz(3) NOT NULL,
        PRIMARY KEY (project_id, email_hash)
      ) WITH (fillfactor = 80);
      CREATE INDEX email_code_attempts_age ON email_code_attempts (window_ends_at);

      CREATE TABLE email_code_guesses (
        project_id uuid NOT NULL REFERENCES projects (id),
        began_at timestamptz(3) NOT NULL,
        guesses integer NOT NULL,
        PRIMARY KEY (project_id, began_at)
      ) WITH (fillfactor = 80);
      CREATE INDEX email_code_guesses_age ON email_code_guesses (began_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE email_code_guesses, email_code_attempts, email_codes');
  }
}
