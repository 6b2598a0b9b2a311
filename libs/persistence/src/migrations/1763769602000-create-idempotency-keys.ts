import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the table with Idempotency-Key requests and their responses. */
export class CreateIdempotencyKeys1763769602000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE idempotency_keys (
        project_id uuid NOT NULL REFERENCES projects (id),
        route text NOT NULL,
        key_hash bytea NOT NULL,
        fingerprint bytea NOT NULL,
        claim uuid NOT NULL,
        answer bytea,
        started_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (project_id, route, key_hash)
      );
      CREATE INDEX idempotency_keys_age ON idempotency_keys (started_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE idempotency_keys');
  }
}
