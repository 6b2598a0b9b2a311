import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the installation id, from which the Redis key prefix is derived (ADR 0089). */
export class CreateInstallation1764730030000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE installation (
        singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
        id uuid NOT NULL DEFAULT gen_random_uuid()
      );
      INSERT INTO installation DEFAULT VALUES;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE installation');
  }
}
