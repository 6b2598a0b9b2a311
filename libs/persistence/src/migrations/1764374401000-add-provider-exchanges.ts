import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Extends exchanges to sign-ins with an identity provider and on the hosted page. */
export class AddProviderExchanges1764374401000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE sign_in_exchanges
        ALTER COLUMN email DROP NOT NULL,
        ADD COLUMN purpose text NOT NULL DEFAULT 'sign_in',
        ADD COLUMN customer_id uuid REFERENCES customers ON DELETE CASCADE,
        ADD COLUMN session_id uuid,
        ADD COLUMN provider_id uuid REFERENCES identity_providers ON DELETE CASCADE,
        ADD COLUMN profile jsonb,
        ADD COLUMN amr text[];
      CREATE INDEX sign_in_exchanges_customer ON sign_in_exchanges (customer_id) WHERE customer_id IS NOT NULL;
      CREATE INDEX sign_in_exchanges_provider ON sign_in_exchanges (provider_id) WHERE provider_id IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM sign_in_exchanges WHERE email IS NULL;
      ALTER TABLE sign_in_exchanges
        DROP COLUMN purpose, DROP COLUMN customer_id, DROP COLUMN session_id, DROP COLUMN provider_id,
        DROP COLUMN profile, DROP COLUMN amr, ALTER COLUMN email SET NOT NULL;
    `);
  }
}
