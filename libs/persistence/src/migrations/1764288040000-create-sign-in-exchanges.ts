import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds sign-in links to email codes, and creates the table for exchanges, which an application redeems for a session. */
export class CreateSignInExchanges1764288040000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE email_codes
        ADD COLUMN link_hash bytea,
        ADD COLUMN redirect_url text,
        ADD COLUMN code_challenge text;
      CREATE UNIQUE INDEX email_codes_link ON email_codes (link_hash) WHERE link_hash IS NOT NULL;

      CREATE TABLE sign_in_exchanges (
        code_hash bytea PRIMARY KEY,
        project_id uuid NOT NULL REFERENCES projects,
        method text NOT NULL,
        email text NOT NULL,
        redirect_url text NOT NULL,
        code_challenge text NOT NULL,
        requested_at timestamptz(3) NOT NULL,
        expires_at timestamptz(3) NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now()
      );
      CREATE INDEX sign_in_exchanges_address ON sign_in_exchanges (project_id, email);
      CREATE INDEX sign_in_exchanges_age ON sign_in_exchanges (expires_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE sign_in_exchanges;
      ALTER TABLE email_codes DROP COLUMN link_hash, DROP COLUMN redirect_url, DROP COLUMN code_challenge;
    `);
  }
}
