import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the tables for operators' console preferences and saved views. */
export class CreateOperatorPreferences1764547201000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE operator_preferences (
        operator_id uuid PRIMARY KEY REFERENCES operators (id) ON DELETE CASCADE,
        time_zone text NOT NULL,
        page_size smallint NOT NULL,
        columns jsonb NOT NULL
      );

      CREATE TABLE saved_views (
        id uuid PRIMARY KEY,
        operator_id uuid NOT NULL REFERENCES operators (id) ON DELETE CASCADE,
        list text NOT NULL,
        name text NOT NULL,
        query text NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now()
      );

      CREATE INDEX saved_views_by_operator ON saved_views (operator_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE saved_views, operator_preferences');
  }
}
