import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the tables for organizations, projects, API keys, customers and their sessions. */
export class CreateOrganizationsAndCustomers1763683200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE organizations (
        id uuid PRIMARY KEY,
        name text NOT NULL,
        slug text NOT NULL UNIQUE,
        parent_id uuid REFERENCES organizations (id),
        billing_return_origins text[] NOT NULL DEFAULT '{}',
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now()
      );
      CREATE INDEX organizations_parent ON organizations (parent_id) WHERE parent_id IS NOT NULL;

      CREATE TABLE projects (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL REFERENCES organizations (id),
        name text NOT NULL,
        slug text NOT NULL,
        environment text NOT NULL DEFAULT 'development' CHECK (environment IN ('development', 'staging', 'production')),
        settings jsonb NOT NULL DEFAULT '{}',
        archived_at timestamptz(3),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        UNIQUE (organization_id, slug)
      );

      CREATE TABLE api_keys (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL REFERENCES organizations (id),
        project_id uuid NOT NULL REFERENCES projects (id),
        name text NOT NULL,
        type text NOT NULL CHECK (type IN ('secret', 'publishable')),
        access text NOT NULL CHECK (access IN ('project', 'organization')),
        scopes text[] NOT NULL DEFAULT '{}',
        key_hash bytea NOT NULL UNIQUE,
        prefix text NOT NULL,
        last4 text NOT NULL,
        expires_at timestamptz(3),
        last_used_at timestamptz(3),
        revoked_at timestamptz(3),
        rotated_from uuid REFERENCES api_keys (id),
        created_at timestamptz(3) NOT NULL DEFAULT now()
      );
      CREATE INDEX api_keys_project ON api_keys (project_id, id);

      CREATE TABLE operators (
        id uuid PRIMARY KEY,
        email text NOT NULL UNIQUE,
        password_hash text NOT NULL,
        role text NOT NULL CHECK (role IN ('viewer', 'operator', 'admin')),
        created_at timestamptz(3) NOT NULL DEFAULT now()
      );

      CREATE TABLE signing_keys (
        kid text PRIMARY KEY,
        public_jwk jsonb NOT NULL,
        private_key bytea NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now()
      );

      CREATE TABLE customers (
        id uuid PRIMARY KEY,
        project_id uuid NOT NULL REFERENCES projects (id),
        external_id text,
        email text NOT NULL,
        first_name text,
        last_name text,
        email_verified boolean NOT NULL DEFAULT false,
        password_hash text,
        metadata jsonb NOT NULL DEFAULT '{}',
        public_metadata jsonb NOT NULL DEFAULT '{}',
        disabled_at timestamptz(3),
        last_login_at timestamptz(3),
        login_failed_event_at timestamptz(3),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        UNIQUE (project_id, email),
        UNIQUE (project_id, external_id)
      );

      CREATE TABLE sessions (
        id uuid PRIMARY KEY,
        customer_id uuid NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
        generation integer NOT NULL,
        current_hash bytea NOT NULL,
        previous_hash bytea,
        rotated_at timestamptz(3),
        idle_ttl integer NOT NULL,
        idle_expires_at timestamptz(3) NOT NULL,
        absolute_expires_at timestamptz(3) NOT NULL,
        revoked_at timestamptz(3),
        revoked_reason text,
        ip text,
        user_agent text,
        created_at timestamptz(3) NOT NULL DEFAULT now()
      ) WITH (fillfactor = 80);
      CREATE INDEX sessions_customer ON sessions (customer_id, id);

      CREATE TABLE one_time_tokens (
        id uuid PRIMARY KEY,
        customer_id uuid NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
        kind text NOT NULL,
        email text NOT NULL,
        token_hash bytea NOT NULL UNIQUE,
        redirect_url text,
        expires_at timestamptz(3) NOT NULL,
        consumed_at timestamptz(3),
        voided_at timestamptz(3),
        created_at timestamptz(3) NOT NULL DEFAULT now()
      );
      CREATE INDEX one_time_tokens_open ON one_time_tokens (customer_id, kind) WHERE consumed_at IS NULL AND voided_at IS NULL;

      CREATE TABLE login_attempts (
        project_id uuid NOT NULL REFERENCES projects (id),
        email_hash bytea NOT NULL,
        tries integer NOT NULL,
        window_ends_at timestamptz(3) NOT NULL,
        PRIMARY KEY (project_id, email_hash)
      ) WITH (fillfactor = 80);

      CREATE TABLE mails (
        id uuid PRIMARY KEY,
        project_id uuid NOT NULL REFERENCES projects (id),
        customer_id uuid REFERENCES customers (id) ON DELETE CASCADE,
        kind text NOT NULL,
        recipient text NOT NULL,
        parameters bytea,
        state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'sent', 'kept', 'failed')),
        tries integer NOT NULL DEFAULT 0,
        next_try_at timestamptz(3) NOT NULL DEFAULT now(),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        finished_at timestamptz(3)
      );
      CREATE INDEX mails_due ON mails (next_try_at) WHERE state = 'pending';
      CREATE INDEX mails_project ON mails (project_id, id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE mails, login_attempts, one_time_tokens, sessions, customers, signing_keys, operators, api_keys,
        projects, organizations
    `);
  }
}
