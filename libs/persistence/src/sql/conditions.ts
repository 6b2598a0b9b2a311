import { entireInstallation, type AccessScope } from '@gatehouse/domain';
import { NIL_UUID } from './uuid-v7.js';

/**
 * Returns the condition that organization `o` is within an access scope: it is one of the scope's organizations or
 * was created by one. An unlimited access scope includes every organization.
 * @param organizations placeholder for the access scope's `organizationIds`
 */
export const organizationsWithin = (organizations: string): string =>
  `(${organizations}::uuid[] IS NULL OR o.id = ANY (${organizations}) OR o.parent_id = ANY (${organizations}))`;

/** Returns SQL for the organization ids within an access scope. @param organizations as in `organizationsWithin` */
export const organizationIdsSql = (organizations: string): string =>
  `SELECT o.id FROM organizations o WHERE ${organizationsWithin(organizations)}`;

/** One access scope of each kind, for use as samples in dynamic statements. */
export const sampleAccessScopes: AccessScope[] = [
  entireInstallation,
  { organizationIds: [NIL_UUID], projectId: null },
  { organizationIds: [NIL_UUID], projectId: NIL_UUID },
  { organizationIds: null, projectId: NIL_UUID },
];

/** A filtered list's conditions with their bound values, so that SQL never contains a value. */
export class Conditions {
  readonly values: unknown[] = [];
  private readonly conditions: string[] = [];

  /** Adds a value, and returns its placeholder. */
  bind(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  add(sql: string): this {
    this.conditions.push(sql);
    return this;
  }

  /** Adds a condition if the value is not null or undefined. */
  addIf<T>(value: T | null | undefined, sql: (placeholder: string) => string): this {
    return value === null || value === undefined ? this : this.add(sql(this.bind(value)));
  }

  /**
   * Limits a list to the caller's access scope.
   * @param table alias of a table with `organization_id`
   * @param projectColumn SQL for the project id
   */
  addAccessScope(table: string, projectColumn: string, accessScope: AccessScope): this {
    return this.add(this.accessScopeCondition(table, projectColumn, accessScope));
  }

  /** Returns the condition of `addAccessScope` without adding it. */
  accessScopeCondition(table: string, projectColumn: string, accessScope: AccessScope): string {
    if (accessScope.projectId) return `${projectColumn} = ${this.bind(accessScope.projectId)}`;
    // Omits the condition, because the planner would estimate a condition that is always true as selective.
    if (!accessScope.organizationIds) return 'true';
    return `${table}.organization_id IN (${organizationIdsSql(this.bind(accessScope.organizationIds))})`;
  }

  /** Returns the condition that a column contains a project id within the access scope. */
  projectAccessScopeCondition(projectColumn: string, accessScope: AccessScope): string {
    if (accessScope.projectId || !accessScope.organizationIds)
      return this.accessScopeCondition('', projectColumn, accessScope);
    return `${projectColumn} IN (SELECT p.id FROM projects p WHERE ${this.accessScopeCondition('p', '', accessScope)})`;
  }

  get sql(): string {
    return this.conditions.join(' AND ');
  }
}

/** Returns SQL that selects an organization's id if it is within an access scope. */
export function organizationWithinSql(where: Conditions, accessScope: AccessScope, id: string): string {
  const organizations = `SELECT o.id, o.id AS organization_id FROM organizations o WHERE o.id = ${where.bind(id)}`;
  return `SELECT o.id FROM (${organizations}) o WHERE ${where.accessScopeCondition('o', 'NULL', accessScope)}`;
}
