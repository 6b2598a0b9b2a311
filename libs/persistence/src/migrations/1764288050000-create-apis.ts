import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the registry of running API processes. */
export class CreateApis1764288050000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE apis (
        id uuid PRIMARY KEY,
        host text,
        version text NOT NULL,
        schema_version bigint NOT NULL,
        seen_at timestamptz(3) NOT NULL DEFAULT now()
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE apis');
  }
}
