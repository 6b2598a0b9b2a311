import { effectiveSettings, type ProjectContext, type ProjectSettings, type Reach } from '#domain';
import type { Database } from '../database.js';
import type { Tx } from '../transactions.js';
import { ProjectEntity } from './project.entity.js';

/** The columns of a project joined with its organization, as `projectContext` reads them. */
export const projectColumns = `
  p.id AS "projectId", p.organization_id AS "organizationId", p.name AS "projectName", p.settings AS "projectSettings",
  o.name AS "organizationName"`;

export interface ProjectColumns {
  projectId: string;
  organizationId: string;
  projectName: string;
  organizationName: string;
  projectSettings: Partial<ProjectSettings>;
}

export const projectContext = (row: ProjectColumns): ProjectContext => ({
  id: row.projectId,
  organizationId: row.organizationId,
  name: row.projectName,
  organizationName: row.organizationName,
  settings: effectiveSettings(row.projectSettings),
});

export class ProjectsRepository {
  constructor(private readonly database: Database) {}

  async insert(tx: Tx, project: ProjectEntity): Promise<void> {
    await tx.manager.insert(ProjectEntity, project);
  }

  /** A project within the reach, or null. */
  async find(reach: Reach, projectId: string): Promise<ProjectContext | null> {
    const [row] = await this.database.prepared<ProjectColumns>(
      `SELECT ${projectColumns} FROM projects p JOIN organizations o ON o.id = p.organization_id
       WHERE p.id = $1 AND (o.id = $2 OR o.parent_id = $2) AND ($3::uuid IS NULL OR p.id = $3)`,
      [projectId, reach.organizationId, reach.projectId],
    );
    return row ? projectContext(row) : null;
  }

  /** The settings of a project whose id came out of a credential. */
  async settingsOf(projectId: string): Promise<ProjectSettings> {
    const [row] = await this.database.prepared<{ settings: Partial<ProjectSettings> }>(
      'SELECT settings FROM projects WHERE id = $1',
      [projectId],
    );
    return effectiveSettings(row?.settings ?? {});
  }
}
