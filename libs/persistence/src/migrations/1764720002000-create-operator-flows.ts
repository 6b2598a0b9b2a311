import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the table of pending operator sign-ins with the OpenID Provider, so that each is accepted only once. */
export class CreateOperatorFlows1764720002000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE operator_flows (
        state_hash bytea PRIMARY KEY,
        expires_at timestamptz(3) NOT NULL
      );
      CREATE INDEX operator_flows_age ON operator_flows (expires_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE operator_flows');
  }
}
