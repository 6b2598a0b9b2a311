import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the tables for customers' passkeys and for the ceremonies that register or use them. */
export class CreatePasskeys1764288030000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE passkeys (
        id uuid PRIMARY KEY,
        project_id uuid NOT NULL REFERENCES projects,
        customer_id uuid NOT NULL REFERENCES customers ON DELETE CASCADE,
        credential_id bytea NOT NULL,
        public_key bytea NOT NULL,
        counter bigint NOT NULL,
        transports text[] NOT NULL,
        device_bound boolean NOT NULL,
        backed_up boolean NOT NULL,
        aaguid uuid NOT NULL,
        name text NOT NULL,
        last_used_at timestamptz(3),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        UNIQUE (project_id, credential_id)
      );
      CREATE INDEX passkeys_customer ON passkeys (customer_id);

      CREATE TABLE passkey_ceremonies (
        challenge_hash bytea PRIMARY KEY,
        project_id uuid NOT NULL REFERENCES projects,
        purpose text NOT NULL,
        customer_id uuid REFERENCES customers ON DELETE CASCADE,
        session_id uuid,
        expires_at timestamptz(3) NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now()
      );
      CREATE INDEX passkey_ceremonies_customer ON passkey_ceremonies (customer_id) WHERE customer_id IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE passkey_ceremonies, passkeys');
  }
}
