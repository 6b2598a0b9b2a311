import {
  auditActions,
  type AuditAction,
  type AuditActor,
  type AuditTargetType,
  type Reach,
} from '@gatehouse/domain';
import { newId, now } from '@gatehouse/platform';
import { Conditions, organizationsWithin } from '../conditions.js';
import type { Database } from '../database.js';
import { idsBetween, lowestId, timeOfId } from '../id-times.js';
import { ownedRange } from '../owned-range.js';
import type { Tx } from '../transactions.js';

/** Who did what, to be written. */
export interface NewAuditEntry {
  organizationId: string | null;
  /** Null for what was done to no project's object. */
  projectId: string | null;
  actor: AuditActor;
  action: AuditAction;
  /** As the API writes it, with its prefix in the `/v1` family. */
  targetId: string;
  ip: string | null;
  userAgent: string | null;
  requestId: string | null;
  /** Ids, numbers and names of fields. Never a secret, a value of a field, or anything personal. */
  details: Record<string, unknown>;
}

/** An entry as it was written. */
export interface AuditEntry extends Omit<NewAuditEntry, 'actor'> {
  id: string;
  actorType: AuditActor['type'];
  actorId: string | null;
  targetType: AuditTargetType;
  createdAt: Date;
}

export interface AuditFilter {
  projectId: string | null;
  actorType: string | null;
  actorId: string | null;
  /** Any of them. */
  actions: string[] | null;
  targetType: string | null;
  targetId: string | null;
  requestId: string | null;
  createdAfter: Date | null;
  createdBefore: Date | null;
}

export const auditColumns = `
  a.id, a.organization_id AS "organizationId", a.project_id AS "projectId", a.actor_type AS "actorType",
  a.actor_id AS "actorId", a.action, a.target_type AS "targetType", a.target_id AS "targetId", a.ip,
  a.user_agent AS "userAgent", a.request_id AS "requestId", a.details, a.created_at AS "createdAt"`;

/** Adds what a filter asks of an entry itself; its project and its time go by how the log is walked. */
export const addAuditFilter = (where: Conditions, filter: AuditFilter): Conditions =>
  where
    .addIf(filter.actorType, (value) => `a.actor_type = ${value}`)
    .addIf(filter.actorId, (value) => `a.actor_id = ${value}`)
    .addIf(filter.actions, (value) => `a.action = ANY (${value})`)
    .addIf(filter.targetType, (value) => `a.target_type = ${value}`)
    .addIf(filter.targetId, (value) => `a.target_id = ${value}`)
    .addIf(filter.requestId, (value) => `a.request_id = ${value}`);

/** The log of who did what. It can only be added to; a trigger refuses everything else. */
export class AuditLogRepository {
  constructor(private readonly database: Database) {}

  /** Writes an entry in the transaction of what it tells. */
  async insert(tx: Tx, entry: NewAuditEntry): Promise<void> {
    const id = newId();
    const { actor, action } = entry;
    await tx.prepared(
      `INSERT INTO audit_log (id, organization_id, project_id, actor_type, actor_id, action, target_type, target_id,
         ip, user_agent, request_id, details, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
      [
        id,
        entry.organizationId,
        entry.projectId,
        actor.type,
        actor.id,
        action,
        auditActions[action],
        entry.targetId,
        entry.ip,
        entry.userAgent,
        entry.requestId,
        JSON.stringify(entry.details),
        // The time that the id holds, so that the list can look for times among the ids.
        new Date(timeOfId(id)),
      ],
    );
  }

  /** Whose logs tell what was done to the whole house: the organizations that no other one created. */
  async organizationsOfHouse(tx: Tx): Promise<string[]> {
    const rows = await tx.query<{ id: string }>('SELECT id FROM organizations WHERE parent_id IS NULL');
    return rows.map(({ id }) => id);
  }

  /**
   * Entries within a reach, newest first. A project key sees what was done to its project's objects.
   *
   * The statement merges the pages of one project, or of each organization in reach, each one range of one index. Asked
   * plainly, PostgreSQL reads and sorts the whole log for some, or walks it from its end in search of those who have few
   * entries.
   */
  async list(reach: Reach, filter: AuditFilter, before: string | null, limit: number): Promise<AuditEntry[]> {
    const where = new Conditions();
    const { column, owners } = ownersOf(reach, filter.projectId, where);
    const ids = idsBetween(filter, before, 0);
    const [first, past] = [where.value(ids.first), where.value(ids.past)];
    addAuditFilter(where.add(ownedRange('a', column, 'o.id', { first, past })), filter);
    const most = where.value(limit);
    return this.database.query<AuditEntry>(
      `SELECT a.* FROM (${owners}) o CROSS JOIN LATERAL (
         SELECT ${auditColumns} FROM audit_log a WHERE ${where.sql} ORDER BY a.${column} DESC, a.id DESC LIMIT ${most}
       ) a ORDER BY a.id DESC LIMIT ${most}`,
      where.values,
    );
  }

  /** Removes up to `limit` entries that are older than `age` ms, the oldest first. @returns how many */
  async prune(tx: Tx, age: number, limit: number): Promise<number> {
    await tx.query(`SELECT set_config('gatehouse.audit_retention', 'on', true)`);
    const rows = await tx.query(
      `DELETE FROM audit_log WHERE id IN (SELECT id FROM audit_log WHERE id < $1 ORDER BY id LIMIT $2) RETURNING id`,
      [lowestId(now().getTime() - age), limit],
    );
    return rows.length;
  }
}

/** Whose entries are in reach: a project, or organizations; with the column that names them. */
function ownersOf(
  reach: Reach,
  projectId: string | null,
  where: Conditions,
): { column: 'project_id' | 'organization_id'; owners: string } {
  const wanted = [reach.projectId, projectId].filter((id) => id !== null);
  const own = organizationsWithin(where.value(reach.organizationId));
  const organizations = `SELECT o.id FROM organizations o WHERE ${own}`;
  if (wanted.length === 0) return { column: 'organization_id', owners: organizations };
  const ids = wanted.map((id) => `id = ${where.value(id)}`).join(' AND ');
  return {
    column: 'project_id',
    owners: `SELECT id FROM projects WHERE ${ids} AND organization_id IN (${organizations})`,
  };
}
