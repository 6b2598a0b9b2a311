import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the tables for customers' second factors and for the challenges that verify them. */
export class CreateSecondFactors1764288002000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE totp_factors (
        id uuid PRIMARY KEY,
        customer_id uuid NOT NULL REFERENCES customers ON DELETE CASCADE,
        secret bytea NOT NULL,
        last_step bigint,
        last_used_at timestamptz(3),
        confirmed_at timestamptz(3),
        created_at timestamptz(3) NOT NULL DEFAULT now()
      );
      CREATE INDEX totp_factors_customer ON totp_factors (customer_id);

      CREATE TABLE recovery_codes (
        customer_id uuid NOT NULL REFERENCES customers ON DELETE CASCADE,
        code_hash bytea NOT NULL,
        PRIMARY KEY (customer_id, code_hash)
      );

      CREATE TABLE challenges (
        token_hash bytea PRIMARY KEY,
        customer_id uuid NOT NULL REFERENCES customers ON DELETE CASCADE,
        kind text NOT NULL,
        amr text[] NOT NULL,
        totp_secret bytea,
        tries integer NOT NULL DEFAULT 0,
        expires_at timestamptz(3) NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now()
      );
      CREATE INDEX challenges_customer ON challenges (customer_id);

      CREATE TABLE factor_attempts (
        customer_id uuid PRIMARY KEY REFERENCES customers ON DELETE CASCADE,
        tries integer NOT NULL,
        known_tries integer NOT NULL DEFAULT 0,
        window_ends_at timestamptz(3) NOT NULL,
        granted text,
        failures integer NOT NULL,
        failed_at timestamptz(3) NOT NULL DEFAULT now()
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE factor_attempts, challenges, recovery_codes, totp_factors');
  }
}
