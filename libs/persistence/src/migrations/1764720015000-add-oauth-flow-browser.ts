import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the browser in which a sign-in with a provider began on the hosted page. */
export class AddOAuthFlowBrowser1764720015000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE oauth_flows ADD COLUMN browser_hash bytea');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE oauth_flows DROP COLUMN browser_hash');
  }
}
