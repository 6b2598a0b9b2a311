// Raw SQL: bounded searches that are limited by filters and access scope.
import type { AccessScope } from '@gatehouse/domain';
import type { Database } from '../database/database.js';
import { rangeWithin, searchStatements, TableSearchRepository } from '../lists/table-search.repository.js';
import { Conditions, organizationIdsSql, sampleAccessScopes } from '../sql/conditions.js';
import { dynamicStatement } from '../sql/statements.js';
import { NIL_UUID } from '../sql/uuid-v7.js';
import {
  addAuditFilter,
  auditColumns,
  auditRow,
  sampleAuditFilters,
  type AuditEntry,
  type AuditFilter,
} from './audit-log.repository.js';

/** Returns the conditions that scanned entries must match. */
function matchConditions(accessScope: AccessScope, filter: AuditFilter): Conditions {
  const where = new Conditions()
    .addAccessScope('a', 'a.project_id', accessScope)
    .addIf(filter.projectId, (value) => `a.project_id = ${value}`);
  return addAuditFilter(where, filter);
}

const search = searchStatements({
  name: 'audit_log',
  alias: 'a',
  columns: 'a.*',
  row: auditRow,
  slack: 0,
  sampleFilters: sampleAuditFilters,
  matchConditions,
  // With a limited access scope, the project's or the organizations' entries are scanned instead of the actor's,
  // because an actor can have many inaccessible entries.
  chooseRange(where, accessScope, { requestId, targetId, actorId, projectId, organizationId }) {
    const isWithin = () => where.accessScopeCondition('a', 'a.project_id', accessScope);
    if (requestId !== null)
      return { column: 'request_id', value: where.bind(requestId), condition: isWithin() };
    if (targetId !== null) return { column: 'target_id', value: where.bind(targetId), condition: isWithin() };
    if (actorId !== null && !accessScope.organizationIds)
      return { column: 'actor_id', value: where.bind(actorId) };
    if (projectId !== null || organizationId === null) return rangeWithin(where, accessScope, projectId);
    const value = where.bind(organizationId);
    if (!accessScope.organizationIds) return { column: 'organization_id', value };
    const organizations = organizationIdsSql(where.bind(accessScope.organizationIds));
    return { column: 'organization_id', value, condition: `${value}::uuid IN (${organizations})` };
  },
  pageSql: (matches) => `SELECT ${auditColumns} FROM ${matches}`,
  scansOnlyMatches: (accessScope, filter) => matchConditions(accessScope, filter).values.length === 0,
});

const findEntry = dynamicStatement(
  auditRow,
  (accessScope: AccessScope, id: string) => {
    const where = new Conditions().addAccessScope('a', 'a.project_id', accessScope);
    const sql = `SELECT ${auditColumns} FROM audit_log a WHERE a.id = ${where.bind(id)} AND ${where.sql}`;
    return { text: sql, values: where.values };
  },
  sampleAccessScopes.map((accessScope) => [accessScope, NIL_UUID] as const),
);

/** The audit log for operators, with a bounded scan per page. */
export class AuditSearchRepository extends TableSearchRepository<AuditFilter, typeof auditRow> {
  constructor(database: Database) {
    super(database, search);
  }

  /** Returns the entry with this id, or null if it does not exist within the access scope. */
  async find(accessScope: AccessScope, id: string): Promise<AuditEntry | null> {
    const [entry] = await this.database.execute(findEntry(accessScope, id));
    return entry ?? null;
  }
}
