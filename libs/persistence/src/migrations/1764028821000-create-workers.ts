import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the registry of running workers, and an index on failed emails. */
export class CreateWorkers1764028821000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE workers (
        id uuid PRIMARY KEY,
        host text NOT NULL,
        version text NOT NULL,
        in_flight integer NOT NULL,
        started_at timestamptz(3) NOT NULL DEFAULT now(),
        seen_at timestamptz(3) NOT NULL DEFAULT now()
      );
      CREATE INDEX mails_failed ON mails (id) WHERE state = 'failed';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX mails_failed;
      DROP TABLE workers;
    `);
  }
}
