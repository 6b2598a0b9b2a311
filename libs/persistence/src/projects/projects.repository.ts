// Raw SQL: inserts and updates that return rows, joins with the organization, and access scope conditions.
import {
  effectiveSettings,
  GatehouseError,
  notFound,
  toStoredSettings,
  type Environment,
  type Project,
  type ProjectContext,
  type ProjectSettings,
  type AccessScope,
  type StoredSettings,
} from '@gatehouse/domain';
import type { CredentialCache } from '../database/credential-cache.js';
import type { Database, Sql } from '../database/database.js';
import type { Tx } from '../database/transactions.js';
import { cappedCount, COUNT_SCAN_LIMIT, type CappedCount } from '../lists/capped-count.js';
import { nameOrSlugCondition } from '../lists/contains-condition.js';
import { Conditions, organizationsWithin, sampleAccessScopes } from '../sql/conditions.js';
import {
  boolean,
  dynamicStatement,
  jsonb,
  nullable,
  statement,
  text,
  textOf,
  timestamptz,
  uuid,
  type RowOf,
} from '../sql/statements.js';
import { NIL_UUID } from '../sql/uuid-v7.js';

/** Columns of a project joined with its organization, as `toProjectContext` expects them. */
export const projectColumns = `
  p.id AS "projectId", p.organization_id AS "organizationId", p.name AS "projectName", p.settings AS "projectSettings",
  o.name AS "organizationName"`;

/** Row map for `projectColumns`. */
export const projectRow = {
  projectId: uuid,
  organizationId: uuid,
  projectName: text,
  projectSettings: jsonb<StoredSettings>(),
  organizationName: text,
};

export type ProjectRow = RowOf<typeof projectRow>;

export const toProjectContext = (row: ProjectRow): ProjectContext => ({
  id: row.projectId,
  organizationId: row.organizationId,
  name: row.projectName,
  organizationName: row.organizationName,
  settings: effectiveSettings(row.projectSettings),
});

/** Project resource columns, as `toProject` expects them. */
const resourceColumns = `
  p.id, p.organization_id AS "organizationId", p.name, p.slug, p.environment, p.settings,
  p.archived_at AS "archivedAt", p.created_at AS "createdAt", p.updated_at AS "updatedAt"`;

const resourceRow = {
  id: uuid,
  organizationId: uuid,
  name: text,
  slug: text,
  environment: textOf<Environment>(),
  settings: jsonb<StoredSettings>(),
  archivedAt: nullable(timestamptz),
  createdAt: timestamptz,
  updatedAt: timestamptz,
};

const toProject = (row: RowOf<typeof resourceRow>): Project => ({
  ...row,
  settings: effectiveSettings(row.settings),
});

export type NewProject = Pick<
  Project,
  'id' | 'organizationId' | 'name' | 'slug' | 'environment' | 'settings'
>;

export interface ProjectFilter {
  organizationId: string | null;
  environment: Environment | null;
  archived: boolean | null;
  /** Name or slug substring, or the id. */
  q: string | null;
}

const noFilter: ProjectFilter = { organizationId: null, environment: null, archived: null, q: null };

const sampleFilters: ProjectFilter[] = [
  noFilter,
  { organizationId: NIL_UUID, environment: 'production', archived: false, q: 'name' },
  { ...noFilter, q: NIL_UUID },
];

const sampleCalls = sampleAccessScopes.flatMap((accessScope) =>
  sampleFilters.map((filter) => [accessScope, filter] as const),
);

const insertProject = statement(
  resourceRow,
  `INSERT INTO projects AS p (id, organization_id, name, slug, environment, settings, mfa_required_at)
   VALUES ($1, $2, $3, $4, $5, $6, CASE WHEN $6::jsonb ->> 'mfa' = 'required' THEN now() END) ON CONFLICT (organization_id, slug) DO NOTHING RETURNING ${resourceColumns}`,
);

const listProjects = dynamicStatement(
  resourceRow,
  (accessScope: AccessScope, filter: ProjectFilter, before: string | null, limit: number) => {
    const where = new Conditions()
      .addAccessScope('p', 'p.id', accessScope)
      .addIf(filter.organizationId, (value) => `p.organization_id = ${value}`)
      .addIf(filter.environment, (value) => `p.environment = ${value}`)
      .addIf(filter.archived, (value) => `(p.archived_at IS NOT NULL) = ${value}`)
      .addIf(before, (value) => `p.id < ${value}`);
    if (filter.q !== null) where.add(nameOrSlugCondition(where, 'p', filter.q));
    const sql = `SELECT ${resourceColumns} FROM projects p WHERE ${where.sql} ORDER BY p.id DESC LIMIT ${where.bind(limit)}`;
    return { text: sql, values: where.values };
  },
  sampleCalls.flatMap((call) => [[...call, null, 1] as const, [...call, NIL_UUID, 1] as const]),
);

const listProjectIds = dynamicStatement(
  { id: uuid },
  (accessScope: AccessScope, id: string | null, limit: number) => {
    const where = new Conditions()
      .addAccessScope('p', 'p.id', accessScope)
      .addIf(id, (value) => `p.id = ${value}`);
    const sql = `SELECT p.id FROM projects p WHERE ${where.sql} LIMIT ${where.bind(limit)}`;
    return { text: sql, values: where.values };
  },
  sampleAccessScopes.flatMap((accessScope) => [
    [accessScope, null, 1] as const,
    [accessScope, NIL_UUID, 1] as const,
  ]),
);

const countProjects = cappedCount(
  COUNT_SCAN_LIMIT,
  (accessScope: AccessScope, { organizationId, environment, archived, q }: ProjectFilter) => {
    const where = new Conditions()
      .add('true')
      .addIf(organizationId, (value) => `p.organization_id = ${value}`);
    if (q !== null) where.add(nameOrSlugCondition(where, 'p', q));
    const scan = `SELECT p.* FROM projects p WHERE ${where.sql} LIMIT ${COUNT_SCAN_LIMIT}`;
    where
      .addAccessScope('p', 'p.id', accessScope)
      .addIf(environment, (value) => `p.environment = ${value}`)
      .addIf(archived, (value) => `(p.archived_at IS NOT NULL) = ${value}`);
    return { where, rows: `(${scan}) p` };
  },
  sampleCalls,
);

const findContextWithinAccessScope = statement(
  { ...projectRow, isArchived: boolean },
  `SELECT ${projectColumns}, p.archived_at IS NOT NULL AS "isArchived"
   FROM projects p JOIN organizations o ON o.id = p.organization_id
   WHERE p.id = $1 AND ${organizationsWithin('$2')} AND ($3::uuid IS NULL OR p.id = $3)`,
);

const findContext = statement(
  projectRow,
  `SELECT ${projectColumns} FROM projects p JOIN organizations o ON o.id = p.organization_id WHERE p.id = $1`,
);

const findProject = dynamicStatement(
  resourceRow,
  (accessScope: AccessScope, id: string, lock: '' | 'FOR NO KEY UPDATE') => {
    const where = new Conditions().addAccessScope('p', 'p.id', accessScope);
    const sql = `SELECT ${resourceColumns} FROM projects p WHERE ${where.sql} AND p.id = ${where.bind(id)} ${lock}`;
    return { text: sql, values: where.values };
  },
  sampleAccessScopes.flatMap((accessScope) => [
    [accessScope, NIL_UUID, ''] as const,
    [accessScope, NIL_UUID, 'FOR NO KEY UPDATE'] as const,
  ]),
);

const findByRpId = statement(
  projectRow,
  `SELECT ${projectColumns} FROM projects p JOIN organizations o ON o.id = p.organization_id
   WHERE p.settings -> 'passkeys' ->> 'rpId' = $1 AND p.archived_at IS NULL AND ($2::uuid IS NULL OR p.id <> $2)
   ORDER BY p.id LIMIT 1`,
);

/** First of the two advisory lock keys (see `COUNT_LOCK`). */
const RP_ID_LOCK = 7_120_917;

const lockRpId = statement({}, 'SELECT FROM pg_advisory_xact_lock($1, hashtext($2))');

const lockSettings = statement(
  { settings: jsonb<StoredSettings>() },
  'SELECT settings FROM projects WHERE id = $1 FOR SHARE',
);

/**
 * Always changes `updated_at`, because the entity tag is derived from it and the legacy system's secret is never
 * returned.
 */
const updateProject = statement(
  resourceRow,
  `UPDATE projects p SET name = $2, settings = $3, updated_at = greatest(now(), p.updated_at + interval '1 ms'),
     mfa_required_at = CASE WHEN $3::jsonb ->> 'mfa' = 'required' THEN coalesce(mfa_required_at, now()) END
   WHERE id = $1 RETURNING ${resourceColumns}`,
);

const archiveProject = statement(
  resourceRow,
  `UPDATE projects p SET archived_at = now(), updated_at = now() WHERE id = $1 RETURNING ${resourceColumns}`,
);

export class ProjectsRepository {
  constructor(
    private readonly database: Database,
    private readonly credentials: Pick<CredentialCache, 'clearAfter'>,
  ) {}

  /** Inserts a project. Returns null if the slug is taken in the organization. */
  async insert(tx: Tx, project: NewProject): Promise<Project | null> {
    const [row] = await tx.execute(insertProject, [
      project.id,
      project.organizationId,
      project.name,
      project.slug,
      project.environment,
      JSON.stringify(toStoredSettings(project.settings)),
    ]);
    return row ? toProject(row) : null;
  }

  /** Returns projects within an access scope, newest first. */
  async list(
    accessScope: AccessScope,
    filter: ProjectFilter,
    before: string | null,
    limit: number,
  ): Promise<Project[]> {
    const rows = await this.database.execute(listProjects(accessScope, filter, before, limit));
    return rows.map(toProject);
  }

  /** Returns up to `limit` project ids within an access scope. @param id limits the result to this project, or null */
  async listIds(accessScope: AccessScope, id: string | null, limit: number): Promise<string[]> {
    const rows = await this.database.execute(listProjectIds(accessScope, id, limit));
    return rows.map((row) => row.id);
  }

  /** Counts the matching projects within an access scope in a bounded scan. */
  count(accessScope: AccessScope, filter: ProjectFilter): Promise<CappedCount> {
    return countProjects(this.database, accessScope, filter);
  }

  /**
   * Returns an unarchived project within the access scope.
   * @throws GatehouseError `not_found`, `project_archived`
   */
  async getActive(accessScope: AccessScope, projectId: string): Promise<ProjectContext> {
    const values = [projectId, accessScope.organizationIds, accessScope.projectId];
    const [row] = await this.database.execute(findContextWithinAccessScope, values);
    if (!row) throw notFound();
    if (row.isArchived) throw new GatehouseError('project_archived');
    return toProjectContext(row);
  }

  /** Returns a customer's project. The caller must have verified the customer's credential. */
  async getContext(projectId: string): Promise<ProjectContext> {
    const [row] = await this.database.execute(findContext, [projectId]);
    return toProjectContext(row!);
  }

  /** Returns the oldest project whose passkeys are bound to a domain, or null. @param exceptId project to ignore */
  async findByRpId(
    rpId: string,
    exceptId: string | null = null,
    sql: Sql = this.database,
  ): Promise<ProjectContext | null> {
    const [row] = await sql.execute(findByRpId, [rpId, exceptId]);
    return row ? toProjectContext(row) : null;
  }

  /** Locks a passkey domain, so that other projects wait for it until the transaction ends. */
  async lockRpId(tx: Tx, rpId: string): Promise<void> {
    await tx.execute(lockRpId, [RP_ID_LOCK, rpId]);
  }

  /** Returns a project's settings, and locks them against changes until the transaction ends. */
  async lockSettings(tx: Tx, id: string): Promise<ProjectSettings> {
    const [row] = await tx.execute(lockSettings, [id]);
    return effectiveSettings(row!.settings);
  }

  /** @throws GatehouseError `not_found` */
  get(accessScope: AccessScope, id: string): Promise<Project> {
    return getProject(this.database, accessScope, id, '');
  }

  /**
   * Returns a project, and locks it against changes until the transaction ends. The lock does not block customer
   * inserts.
   * @throws GatehouseError `not_found`
   */
  lock(tx: Tx, accessScope: AccessScope, id: string): Promise<Project> {
    return getProject(tx, accessScope, id, 'FOR NO KEY UPDATE');
  }

  /** Updates a project that the transaction has locked. */
  async update(tx: Tx, project: Pick<Project, 'id' | 'name' | 'settings'>): Promise<Project> {
    const settings = JSON.stringify(toStoredSettings(project.settings));
    this.credentials.clearAfter(tx);
    const [row] = await tx.execute(updateProject, [project.id, project.name, settings]);
    return toProject(row!);
  }

  /** Archives a project that the transaction has locked. Its API keys and its customers' tokens become invalid. */
  async archive(tx: Tx, id: string): Promise<Project> {
    this.credentials.clearAfter(tx);
    const [row] = await tx.execute(archiveProject, [id]);
    return toProject(row!);
  }
}

async function getProject(
  sql: Sql,
  accessScope: AccessScope,
  id: string,
  lock: '' | 'FOR NO KEY UPDATE',
): Promise<Project> {
  const [row] = await sql.execute(findProject(accessScope, id, lock));
  if (!row) throw notFound();
  return toProject(row);
}
