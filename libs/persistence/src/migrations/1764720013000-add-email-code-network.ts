import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the network from which an email code was requested, and the hosted page flow that the code belongs to. */
export class AddEmailCodeNetwork1764720013000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE email_codes ADD COLUMN address_block text, ADD COLUMN flow_hash bytea');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE email_codes DROP COLUMN address_block, DROP COLUMN flow_hash');
  }
}
