import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Creates the tables for identity providers and their domains, customers' identities, and pending sign-ins with a
 * provider.
 */
export class CreateIdentityProviders1764374400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE identity_providers (
        id uuid PRIMARY KEY,
        project_id uuid NOT NULL REFERENCES projects,
        slug text NOT NULL,
        type text NOT NULL,
        name text NOT NULL,
        client_id text NOT NULL,
        client_ids text[] NOT NULL,
        client_secret bytea,
        issuer text NOT NULL,
        tenants text[] NOT NULL,
        scopes text[] NOT NULL,
        team_id text,
        key_id text,
        private_key bytea,
        enabled boolean NOT NULL,
        allow_sign_up boolean NOT NULL,
        trust_email boolean NOT NULL,
        require_nonce boolean NOT NULL,
        required boolean NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        UNIQUE (project_id, slug)
      );

      CREATE TABLE identity_provider_domains (
        provider_id uuid NOT NULL REFERENCES identity_providers ON DELETE CASCADE,
        domain text NOT NULL,
        project_id uuid NOT NULL REFERENCES projects,
        token text NOT NULL,
        verified_at timestamptz(3),
        checked_at timestamptz(3),
        failing_since timestamptz(3),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (provider_id, domain)
      );
      CREATE UNIQUE INDEX identity_provider_domains_verified ON identity_provider_domains (project_id, domain)
        WHERE verified_at IS NOT NULL;

      CREATE TABLE identities (
        id uuid PRIMARY KEY,
        project_id uuid NOT NULL REFERENCES projects,
        provider_id uuid NOT NULL REFERENCES identity_providers,
        customer_id uuid NOT NULL REFERENCES customers ON DELETE CASCADE,
        subject text NOT NULL,
        email text,
        last_used_at timestamptz(3),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        UNIQUE (provider_id, subject)
      );
      CREATE INDEX identities_customer ON identities (customer_id);

      CREATE TABLE oauth_flows (
        state_hash bytea PRIMARY KEY,
        project_id uuid NOT NULL REFERENCES projects,
        provider_id uuid NOT NULL REFERENCES identity_providers ON DELETE CASCADE,
        purpose text NOT NULL,
        customer_id uuid REFERENCES customers ON DELETE CASCADE,
        session_id uuid,
        redirect_url text NOT NULL,
        code_challenge text NOT NULL,
        application_state text,
        nonce text NOT NULL,
        code_verifier text NOT NULL,
        max_age integer,
        page_query text,
        expires_at timestamptz(3) NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now()
      );
      CREATE INDEX oauth_flows_age ON oauth_flows (expires_at);
      CREATE INDEX oauth_flows_provider ON oauth_flows (provider_id);
      CREATE INDEX oauth_flows_customer ON oauth_flows (customer_id) WHERE customer_id IS NOT NULL;

      CREATE TABLE used_id_tokens (
        token_hash bytea PRIMARY KEY,
        expires_at timestamptz(3) NOT NULL
      );
      CREATE INDEX used_id_tokens_age ON used_id_tokens (expires_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'DROP TABLE used_id_tokens, oauth_flows, identities, identity_provider_domains, identity_providers',
    );
  }
}
