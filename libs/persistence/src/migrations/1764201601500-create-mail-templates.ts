import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the table of email templates that projects have changed. */
export class CreateMailTemplates1764201601500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE mail_templates (
        project_id uuid NOT NULL REFERENCES projects (id),
        kind text NOT NULL,
        language text NOT NULL,
        text jsonb NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (project_id, kind, language)
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE mail_templates');
  }
}
