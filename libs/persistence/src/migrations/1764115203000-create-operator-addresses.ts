import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Creates the table of client IPs from which operators have signed in. Attempts from these IPs have a separate
 * allowance. `granted_by` replaces `granted`, which stays for the previous version's API processes.
 */
export class CreateOperatorAddresses1764115203000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE operator_addresses (
        operator_id uuid NOT NULL REFERENCES operators (id) ON DELETE CASCADE,
        address_block text NOT NULL,
        last_sign_in_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (operator_id, address_block)
      );

      ALTER TABLE operator_login_attempts
        ALTER COLUMN granted SET DEFAULT false,
        ADD COLUMN known_tries integer NOT NULL DEFAULT 0,
        ADD COLUMN granted_by text;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE operator_addresses;
      ALTER TABLE operator_login_attempts
        ALTER COLUMN granted DROP DEFAULT, DROP COLUMN known_tries, DROP COLUMN granted_by;
    `);
  }
}
