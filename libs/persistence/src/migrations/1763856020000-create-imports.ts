import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the tables for customer imports, which can resume after an interruption, and for their failed lines. */
export class CreateImports1763856020000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE imports (
        -- Chosen by the client: unique within the project.
        id uuid NOT NULL,
        project_id uuid NOT NULL REFERENCES projects (id),
        organization_id uuid NOT NULL REFERENCES organizations (id),
        -- Identifies the request that works on the import.
        claim uuid NOT NULL,
        state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'interrupted', 'completed')),
        created integer NOT NULL DEFAULT 0,
        skipped integer NOT NULL DEFAULT 0,
        failed integer NOT NULL DEFAULT 0,
        last_line integer NOT NULL DEFAULT 0,
        lines_mac bytea,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        finished_at timestamptz(3),
        PRIMARY KEY (id, project_id)
      ) WITH (fillfactor = 80);
      CREATE INDEX imports_age ON imports (created_at);
      -- For exports, which read a project in pages.
      CREATE INDEX customers_project ON customers (project_id, id);

      CREATE TABLE import_failures (
        import_id uuid NOT NULL,
        project_id uuid NOT NULL,
        line integer NOT NULL,
        status text NOT NULL CHECK (status IN ('skipped', 'failed')),
        customer_id uuid,
        errors jsonb NOT NULL,
        PRIMARY KEY (import_id, project_id, line),
        FOREIGN KEY (import_id, project_id) REFERENCES imports (id, project_id) ON DELETE CASCADE
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE import_failures, imports; DROP INDEX customers_project');
  }
}
