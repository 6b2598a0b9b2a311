import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the table of sign-in tokens, which are created with a secret key and sign in a customer. */
export class CreateSignInTokens1764288001000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE sign_in_tokens (
        token_hash bytea PRIMARY KEY,
        customer_id uuid NOT NULL REFERENCES customers ON DELETE CASCADE,
        key_id uuid NOT NULL,
        expires_at timestamptz(3) NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now()
      );
      CREATE INDEX sign_in_tokens_customer ON sign_in_tokens (customer_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE sign_in_tokens');
  }
}
