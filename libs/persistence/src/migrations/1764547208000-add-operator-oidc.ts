import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds operators' OpenID Provider accounts, and the sign-in method to operator sessions. Adding a column with a
 * constant default does not rewrite the table.
 */
export class AddOperatorOidc1764547208000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE operators
        ADD COLUMN oidc_issuer text,
        ADD COLUMN oidc_subject text,
        ADD CONSTRAINT operators_oidc_account UNIQUE (oidc_issuer, oidc_subject),
        ADD CONSTRAINT operators_oidc_complete CHECK ((oidc_issuer IS NULL) = (oidc_subject IS NULL));
      ALTER TABLE operator_sessions
        ADD COLUMN method text NOT NULL DEFAULT 'password' CHECK (method IN ('password', 'oidc'));
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM operator_sessions WHERE method = 'oidc';
      ALTER TABLE operator_sessions DROP COLUMN method;
      ALTER TABLE operators DROP COLUMN oidc_issuer, DROP COLUMN oidc_subject;
    `);
  }
}
