import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the table for flows on the hosted sign-in page. */
export class CreateSignInFlows1764720011000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE sign_in_flows (
        secret_hash bytea PRIMARY KEY,
        project_id uuid NOT NULL,
        purpose text NOT NULL DEFAULT 'sign_in',
        redirect_url text NOT NULL,
        code_challenge text NOT NULL,
        application_state text,
        customer_id uuid REFERENCES customers ON DELETE CASCADE,
        provider_id uuid,
        profile jsonb,
        amr text[],
        browser_hash bytea,
        requested_at timestamptz(3) NOT NULL,
        proven_at timestamptz(3),
        expires_at timestamptz(3) NOT NULL
      );
      CREATE INDEX sign_in_flows_customer ON sign_in_flows (customer_id) WHERE customer_id IS NOT NULL;
      CREATE INDEX sign_in_flows_age ON sign_in_flows (expires_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE sign_in_flows');
  }
}
