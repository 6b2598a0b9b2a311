import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the network that requested an email code, and the hosted page flow to which the code belongs. */
export class AddEmailCodeNetwork1764720013000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE email_codes ADD COLUMN address_block text, ADD COLUMN flow_hash bytea');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE email_codes DROP COLUMN address_block, DROP COLUMN flow_hash');
  }
}
