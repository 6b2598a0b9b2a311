import {
  effectiveSettings,
  GatehouseError,
  notFound,
  toStoredSettings,
  type Environment,
  type Project,
  type ProjectContext,
  type Reach,
  type StoredSettings,
} from '@gatehouse/domain';
import { countMatches, COUNT_SCAN_LIMIT, type CappedCount } from '../capped-count.js';
import { Conditions, organizationsWithin } from '../conditions.js';
import type { Database, Sql } from '../database.js';
import { nameOrSlugCondition } from '../search/prefix-conditions.js';
import type { Tx } from '../transactions.js';

/** The columns of a project joined with its organization, as `toProjectContext` reads them. */
export const projectColumns = `
  p.id AS "projectId", p.organization_id AS "organizationId", p.name AS "projectName", p.settings AS "projectSettings",
  o.name AS "organizationName"`;

export interface ProjectColumns {
  projectId: string;
  organizationId: string;
  projectName: string;
  organizationName: string;
  projectSettings: StoredSettings;
}

export const toProjectContext = (row: ProjectColumns): ProjectContext => ({
  id: row.projectId,
  organizationId: row.organizationId,
  name: row.projectName,
  organizationName: row.organizationName,
  settings: effectiveSettings(row.projectSettings),
});

/** The columns of a project as a resource, as `toProject` reads them. */
const resourceColumns = `
  p.id, p.organization_id AS "organizationId", p.name, p.slug, p.environment, p.settings,
  p.archived_at AS "archivedAt", p.created_at AS "createdAt", p.updated_at AS "updatedAt"`;

type ProjectRow = Omit<Project, 'settings'> & { settings: StoredSettings };

const toProject = (row: ProjectRow): Project => ({ ...row, settings: effectiveSettings(row.settings) });

export type NewProject = Pick<
  Project,
  'id' | 'organizationId' | 'name' | 'slug' | 'environment' | 'settings'
>;

export interface ProjectFilter {
  organizationId: string | null;
  environment: Environment | null;
  archived: boolean | null;
  /** Prefix of the name or slug, or the id. */
  q: string | null;
}

export class ProjectsRepository {
  constructor(private readonly database: Database) {}

  /** Inserts a project. Returns null if another project of the organization has the slug. */
  async insert(tx: Tx, project: NewProject): Promise<Project | null> {
    const [row] = await tx.queryPrepared<ProjectRow>(
      `INSERT INTO projects AS p (id, organization_id, name, slug, environment, settings)
       VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (organization_id, slug) DO NOTHING RETURNING ${resourceColumns}`,
      [
        project.id,
        project.organizationId,
        project.name,
        project.slug,
        project.environment,
        JSON.stringify(toStoredSettings(project.settings)),
      ],
    );
    return row ? toProject(row) : null;
  }

  /** Returns projects within a reach, newest first. */
  async list(reach: Reach, filter: ProjectFilter, before: string | null, limit: number): Promise<Project[]> {
    const where = new Conditions()
      .addReach('p', 'p.id', reach)
      .addIf(filter.organizationId, (value) => `p.organization_id = ${value}`)
      .addIf(filter.environment, (value) => `p.environment = ${value}`)
      .addIf(filter.archived, (value) => `(p.archived_at IS NOT NULL) = ${value}`)
      .addIf(before, (value) => `p.id < ${value}`);
    if (filter.q !== null) where.add(nameOrSlugCondition(where, 'p', filter.q));
    const rows = await this.database.query<ProjectRow>(
      `SELECT ${resourceColumns} FROM projects p WHERE ${where.sql} ORDER BY p.id DESC LIMIT ${where.bind(limit)}`,
      where.values,
    );
    return rows.map(toProject);
  }

  /** Counts the matching projects within a reach in a bounded scan. */
  count(reach: Reach, { organizationId, environment, archived, q }: ProjectFilter): Promise<CappedCount> {
    const where = new Conditions()
      .add('true')
      .addIf(organizationId, (value) => `p.organization_id = ${value}`);
    if (q !== null) where.add(nameOrSlugCondition(where, 'p', q));
    const scan = `SELECT p.* FROM projects p WHERE ${where.sql} LIMIT ${COUNT_SCAN_LIMIT}`;
    where
      .addReach('p', 'p.id', reach)
      .addIf(environment, (value) => `p.environment = ${value}`)
      .addIf(archived, (value) => `(p.archived_at IS NOT NULL) = ${value}`);
    const countSource = { rows: `(${scan}) p`, isMatch: where.sql, values: where.values };
    return countMatches(this.database, countSource, COUNT_SCAN_LIMIT);
  }

  /**
   * Returns a project within the reach that is not archived.
   * @throws GatehouseError `not_found`, `project_archived`
   */
  async getActive(reach: Reach, projectId: string): Promise<ProjectContext> {
    const [row] = await this.database.queryPrepared<ProjectColumns & { isArchived: boolean }>(
      `SELECT ${projectColumns}, p.archived_at IS NOT NULL AS "isArchived"
       FROM projects p JOIN organizations o ON o.id = p.organization_id
       WHERE p.id = $1 AND ${organizationsWithin('$2')} AND ($3::uuid IS NULL OR p.id = $3)`,
      [projectId, reach.organizationId, reach.projectId],
    );
    if (!row) throw notFound();
    if (row.isArchived) throw new GatehouseError('project_archived');
    return toProjectContext(row);
  }

  /** Returns the project of a customer. The caller has checked the customer's credential. */
  async getContext(projectId: string): Promise<ProjectContext> {
    const [row] = await this.database.queryPrepared<ProjectColumns>(
      `SELECT ${projectColumns} FROM projects p JOIN organizations o ON o.id = p.organization_id WHERE p.id = $1`,
      [projectId],
    );
    return toProjectContext(row!);
  }

  /** @throws GatehouseError `not_found` */
  get(reach: Reach, id: string): Promise<Project> {
    return selectProject(this.database, reach, id);
  }

  /**
   * Returns a project and locks it against changes until the transaction ends. Inserts of customers do not
   * wait for the lock.
   * @throws GatehouseError `not_found`
   */
  lock(tx: Tx, reach: Reach, id: string): Promise<Project> {
    return selectProject(tx, reach, id, 'FOR NO KEY UPDATE');
  }

  /** Updates a project that the transaction has locked. */
  async update(tx: Tx, project: Pick<Project, 'id' | 'name' | 'settings'>): Promise<Project> {
    const [row] = await tx.queryPrepared<ProjectRow>(
      `UPDATE projects p SET name = $2, settings = $3, updated_at = now() WHERE id = $1 RETURNING ${resourceColumns}`,
      [project.id, project.name, JSON.stringify(toStoredSettings(project.settings))],
    );
    return toProject(row!);
  }

  /**
   * Archives a project that the transaction has locked. Its keys and the tokens of its customers become
   * invalid.
   */
  async archive(tx: Tx, id: string): Promise<Project> {
    const [row] = await tx.queryPrepared<ProjectRow>(
      `UPDATE projects p SET archived_at = now(), updated_at = now() WHERE id = $1 RETURNING ${resourceColumns}`,
      [id],
    );
    return toProject(row!);
  }
}

async function selectProject(sql: Sql, reach: Reach, id: string, lock = ''): Promise<Project> {
  const where = new Conditions().addReach('p', 'p.id', reach);
  const [row] = await sql.query<ProjectRow>(
    `SELECT ${resourceColumns} FROM projects p WHERE ${where.sql} AND p.id = ${where.bind(id)} ${lock}`,
    where.values,
  );
  if (!row) throw notFound();
  return toProject(row);
}
