// Raw SQL: lists that are limited by filters and access scope, deletion in batches, and a catalog query.
import { IsNull } from 'typeorm';
import {
  targetTypeOf,
  type AuditAction,
  type AuditActor,
  type AuditActorType,
  type AuditTargetType,
  type AccessScope,
} from '@gatehouse/domain';
import { newId, type Logger } from '@gatehouse/platform';
import type { Database } from '../database/database.js';
import type { Tx } from '../database/transactions.js';
import { ownerRangeCondition } from '../lists/owner-range-condition.js';
import { OrganizationEntity } from '../organizations/organization.entity.js';
import { Conditions, organizationIdsSql, sampleAccessScopes } from '../sql/conditions.js';
import {
  boolean,
  dynamicStatement,
  integer,
  jsonb,
  nullable,
  statement,
  text,
  textOf,
  timestamptz,
  uuid,
} from '../sql/statements.js';
import { filterIdRange, NIL_UUID, parseIdTime } from '../sql/uuid-v7.js';

/** An audit entry to write. */
export interface NewAuditEntry {
  organizationId: string | null;
  /** Null if the target belongs to no project. */
  projectId: string | null;
  actor: AuditActor;
  action: AuditAction;
  /** As returned by the API: ids in the `/v1` family include their prefix. */
  targetId: string;
  ip: string | null;
  userAgent: string | null;
  requestId: string | null;
  /** Ids, counts, field names, and old and new settings. Never contains a secret or customer data. */
  details: Record<string, unknown>;
}

/** A stored audit entry. */
export interface AuditEntry extends Omit<NewAuditEntry, 'actor'> {
  id: string;
  actorType: AuditActor['type'];
  actorId: string | null;
  targetType: AuditTargetType;
  createdAt: Date;
}

export interface AuditFilter {
  projectId: string | null;
  organizationId: string | null;
  actorType: string | null;
  actorId: string | null;
  /** Matches any action in the list. */
  actions: string[] | null;
  targetType: string | null;
  targetId: string | null;
  requestId: string | null;
  createdAfter: Date | null;
  createdBefore: Date | null;
}

/** Row type for the columns in `auditColumns`. */
export const auditRow = {
  id: uuid,
  organizationId: nullable(uuid),
  projectId: nullable(uuid),
  actorType: textOf<AuditActorType>(),
  actorId: nullable(text),
  action: textOf<AuditAction>(),
  targetType: textOf<AuditTargetType>(),
  targetId: text,
  ip: nullable(text),
  userAgent: nullable(text),
  requestId: nullable(text),
  details: jsonb<Record<string, unknown>>(),
  createdAt: timestamptz,
};

export const auditColumns = `
  a.id, a.organization_id AS "organizationId", a.project_id AS "projectId", a.actor_type AS "actorType",
  a.actor_id AS "actorId", a.action, a.target_type AS "targetType", a.target_id AS "targetId", a.ip,
  a.user_agent AS "userAgent", a.request_id AS "requestId", a.details, a.created_at AS "createdAt"`;

/** Adds the conditions on the entry itself. The index scan applies the conditions on project and time. */
export const addAuditFilter = (where: Conditions, filter: AuditFilter): Conditions =>
  where
    .addIf(filter.organizationId, (value) => `a.organization_id = ${value}`)
    .addIf(filter.actorType, (value) => `a.actor_type = ${value}`)
    .addIf(filter.actorId, (value) => `a.actor_id = ${value}`)
    .addIf(filter.actions, (value) => `a.action = ANY (${value})`)
    .addIf(filter.targetType, (value) => `a.target_type = ${value}`)
    .addIf(filter.targetId, (value) => `a.target_id = ${value}`)
    .addIf(filter.requestId, (value) => `a.request_id = ${value}`);

const noFilter: AuditFilter = {
  projectId: null,
  organizationId: null,
  actorType: null,
  actorId: null,
  actions: null,
  targetType: null,
  targetId: null,
  requestId: null,
  createdAfter: null,
  createdBefore: null,
};

/** Filters that produce every variant of the audit log statements. */
export const sampleAuditFilters: AuditFilter[] = [
  noFilter,
  { ...noFilter, projectId: NIL_UUID },
  { ...noFilter, organizationId: NIL_UUID },
  { ...noFilter, actorType: 'key', actorId: NIL_UUID },
  { ...noFilter, targetType: 'customer', targetId: NIL_UUID },
  { ...noFilter, requestId: 'request', actions: ['customer.created'], createdAfter: new Date(0) },
];

/**
 * Merges one page per owner: the project, or each accessible organization. Each page is one range in one index.
 * With one condition for all owners, PostgreSQL would read and sort the complete log for some access scopes. For
 * access scopes with few entries, it would scan the log from its end.
 */
const listEntries = dynamicStatement(
  auditRow,
  (accessScope: AccessScope, filter: AuditFilter, before: string | null, limit: number) => {
    const where = new Conditions();
    const { column, owners } = ownersInAccessScope(accessScope, filter.projectId, where);
    const ids = filterIdRange(filter, before, 0);
    const [first, past] = [where.bind(ids.first), where.bind(ids.past)];
    addAuditFilter(where.add(ownerRangeCondition('a', column, 'o.id', { first, past })), filter);
    const limitSql = where.bind(limit);
    const sql = `
      SELECT a.* FROM (${owners}) o CROSS JOIN LATERAL (
        SELECT ${auditColumns} FROM audit_log a WHERE ${where.sql} ORDER BY a.${column} DESC, a.id DESC LIMIT ${limitSql}
      ) a ORDER BY a.id DESC LIMIT ${limitSql}`;
    return { text: sql, values: where.values };
  },
  sampleAccessScopes.flatMap((accessScope) =>
    sampleAuditFilters.map((filter) => [accessScope, filter, null, 1] as const),
  ),
);

/**
 * Table privileges do not restrict a role that can act as the owner of the table, the schema or the database, create
 * roles, or write server files. CREATE on the schema allows it to create functions that the owner would call. The
 * check includes all roles that have this role as a member, because a member can act as them with SET ROLE, even if
 * it does not inherit their privileges.
 */
const checkProtection = statement(
  { isProtected: boolean },
  `SELECT NOT EXISTS (
     SELECT FROM pg_roles r WHERE pg_has_role(r.oid, 'MEMBER') AND (
       has_table_privilege(r.oid, c.oid, 'UPDATE, DELETE, TRUNCATE, TRIGGER')
       OR has_any_column_privilege(r.oid, c.oid, 'UPDATE') OR has_schema_privilege(r.oid, n.oid, 'CREATE')
       OR r.oid IN (c.relowner, n.nspowner, d.datdba) OR r.rolsuper OR r.rolcreaterole
       OR r.rolname IN ('pg_execute_server_program', 'pg_write_server_files'))
   ) AS "isProtected"
   FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace, pg_database d
   WHERE c.oid = 'audit_log'::regclass AND d.datname = current_database()`,
);

const pruneEntries = statement({ removed: integer }, 'SELECT prune_audit_log($1, $2) AS removed');

/** The append-only audit log. A trigger rejects every change. */
export class AuditLogRepository {
  constructor(
    private readonly database: Database,
    private readonly logger: Logger,
  ) {}

  /**
   * Adds an entry to the transaction that makes the described change. The transaction writes the entry when it commits.
   * After the commit, the entry is also logged, so that a copy can be stored outside the database.
   */
  insert(tx: Tx, { actor, ...entry }: NewAuditEntry): void {
    const id = newId();
    const actorType = actor.type;
    const actorId = actor.id;
    const targetType = targetTypeOf(entry.action);
    // The time in the id, because the list filters times by id.
    const createdAt = new Date(parseIdTime(id));
    tx.outbox.auditEntries.push({
      id,
      organization_id: entry.organizationId,
      project_id: entry.projectId,
      actor_type: actorType,
      actor_id: actorId,
      action: entry.action,
      target_type: targetType,
      target_id: entry.targetId,
      ip: entry.ip,
      user_agent: entry.userAgent,
      request_id: entry.requestId,
      details: entry.details,
      created_at: createdAt.toISOString(),
    });
    const logFields = { auditEntryId: id, ...entry, actorType, actorId, targetType, createdAt };
    tx.afterCommit.push(() => this.logger.info(logFields, 'audit entry written'));
  }

  /**
   * Returns the root organizations, which no other organization has created. Their logs contain installation-wide
   * actions.
   */
  async listRootOrganizationIds(tx: Tx): Promise<string[]> {
    const organizations = await tx.manager.find(OrganizationEntity, {
      select: { id: true },
      where: { parentId: IsNull() },
    });
    return organizations.map(({ id }) => id);
  }

  /**
   * Returns entries within an access scope, newest first. With a project key, these are the entries about objects in
   * its project.
   */
  list(
    accessScope: AccessScope,
    filter: AuditFilter,
    before: string | null,
    limit: number,
  ): Promise<AuditEntry[]> {
    return this.database.execute(listEntries(accessScope, filter, before, limit));
  }

  /** Returns whether this process's database role can neither change nor delete entries. */
  async isProtected(): Promise<boolean> {
    const [row] = await this.database.execute(checkProtection);
    return row!.isProtected;
  }

  /**
   * Removes up to `limit` entries older than `age` ms, oldest first.
   * @returns the number of removed entries
   * @throws Error if the table owner has stored a longer retention, and the role is not the owner
   */
  async prune(age: number, limit: number): Promise<number> {
    const [row] = await this.database.execute(pruneEntries, [age, limit]);
    return row!.removed;
  }
}

/**
 * Returns SQL for the owners whose entries are within the access scope (a project or organizations), and the column
 * that contains their ids.
 */
function ownersInAccessScope(
  accessScope: AccessScope,
  projectId: string | null,
  where: Conditions,
): { column: 'project_id' | 'organization_id'; owners: string } {
  const projectIds = [accessScope.projectId, projectId].filter((id) => id !== null);
  const organizations = organizationIdsSql(where.bind(accessScope.organizationIds));
  if (projectIds.length === 0) return { column: 'organization_id', owners: organizations };
  const ids = projectIds.map((id) => `id = ${where.bind(id)}`).join(' AND ');
  return {
    column: 'project_id',
    owners: `SELECT id FROM projects WHERE ${ids} AND organization_id IN (${organizations})`,
  };
}
