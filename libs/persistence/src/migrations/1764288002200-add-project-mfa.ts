import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the time from which a project requires second factors. The column may already exist (see AddCustomerMfa). */
export class AddProjectMfa1764288002200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE projects ADD COLUMN IF NOT EXISTS mfa_required_at timestamptz(3)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE projects DROP COLUMN mfa_required_at');
  }
}
