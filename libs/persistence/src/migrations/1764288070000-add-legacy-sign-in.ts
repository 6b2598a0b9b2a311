import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the secret of the requests to another system, and which customers an import has created. */
export class AddLegacySignIn1764288070000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE projects ADD COLUMN legacy_sign_in_secret bytea;
      ALTER TABLE customers ADD COLUMN imported boolean NOT NULL DEFAULT false;
    `);
    // Only an import sets the time of the last change to one before the row was created, which its id contains.
    // Any later change sets it to the current time, so these customers are unchanged since their import.
    await runner.query(`
      UPDATE customers SET imported = true
      WHERE password_hash IS NULL AND substr(id::text, 15, 1) = '7'
        AND updated_at + interval '1 day' < to_timestamp(
          ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE customers DROP COLUMN imported;
      ALTER TABLE projects DROP COLUMN legacy_sign_in_secret;
    `);
  }
}
