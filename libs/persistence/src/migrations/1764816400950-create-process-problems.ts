import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the table of problems that running processes have detected. Workers send alerts about them (ADR 0095). */
export class CreateProcessProblems1764816400950 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE process_problems (
        process_id uuid NOT NULL,
        -- clock_skew or two_writable_hosts.
        kind text NOT NULL,
        service text NOT NULL,
        host text NOT NULL,
        detail text NOT NULL,
        since timestamptz(3) NOT NULL DEFAULT now(),
        -- A process that no longer confirms its problems has stopped.
        seen_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (process_id, kind)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE process_problems');
  }
}
