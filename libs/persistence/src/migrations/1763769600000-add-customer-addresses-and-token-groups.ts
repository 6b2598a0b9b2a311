import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds known client IPs, token groups for email changes, and indexes for retention. */
export class AddCustomerAddressesAndTokenGroups1763769600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE customer_addresses (
        customer_id uuid NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
        address_block text NOT NULL,
        last_login_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (customer_id, address_block)
      );
      CREATE INDEX customer_addresses_age ON customer_addresses (last_login_at);

      ALTER TABLE login_attempts
        ADD COLUMN known_tries integer NOT NULL DEFAULT 0,
        ADD COLUMN granted text;

      ALTER TABLE one_time_tokens ADD COLUMN group_id uuid;
      CREATE INDEX one_time_tokens_group ON one_time_tokens (group_id) WHERE group_id IS NOT NULL;
      CREATE INDEX one_time_tokens_customer ON one_time_tokens (customer_id);
      CREATE INDEX mails_customer ON mails (customer_id);
      CREATE INDEX one_time_tokens_age ON one_time_tokens (expires_at);

      CREATE INDEX sessions_age ON sessions (absolute_expires_at);
      ALTER TABLE deliveries ADD COLUMN withdrawn boolean NOT NULL DEFAULT false;
      CREATE INDEX events_customer ON events (customer_id, id) WHERE customer_id IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE customer_addresses;
      ALTER TABLE login_attempts DROP COLUMN known_tries, DROP COLUMN granted;
      ALTER TABLE one_time_tokens DROP COLUMN group_id;
      ALTER TABLE deliveries DROP COLUMN withdrawn;
      DROP INDEX one_time_tokens_age, one_time_tokens_customer, mails_customer, sessions_age, events_customer;
    `);
  }
}
