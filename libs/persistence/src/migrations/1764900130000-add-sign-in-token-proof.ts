import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the authentication methods and time from the session that a sign-in token moves from another system
 * (docs/adr/0106). Null in support tokens, the only kind that earlier versions create.
 */
export class AddSignInTokenProof1764900130000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE sign_in_tokens ADD COLUMN amr text[], ADD COLUMN auth_time timestamptz(3)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sign_in_tokens DROP COLUMN amr, DROP COLUMN auth_time');
  }
}
