import { notFound, type Organization, type Reach } from '@gatehouse/domain';
import { countMatches, COUNT_CAP, type CappedCount } from '../capped-count.js';
import { Conditions, organizationsWithin } from '../conditions.js';
import type { Database, Sql } from '../database.js';
import { nameOrSlugCondition } from '../search/prefix-conditions.js';
import type { Tx } from '../transactions.js';
import { OrganizationEntity } from './organization.entity.js';

export type NewOrganization = Pick<Organization, 'id' | 'name' | 'slug' | 'parentId'>;

const columns = `
  o.id, o.name, o.slug, o.parent_id AS "parentId", o.billing_return_origins AS "billingReturnOrigins",
  o.created_at AS "createdAt", o.updated_at AS "updatedAt"`;

/** Organizations. A project's reach includes its organization and the organizations that it created. */
export class OrganizationsRepository {
  constructor(private readonly database: Database) {}

  /** Returns whether there is any organization. Only an empty installation may be seeded. */
  async hasAny(tx: Tx): Promise<boolean> {
    return tx.manager.exists(OrganizationEntity);
  }

  /** Inserts an organization. Returns null if the slug is taken. */
  async insert(tx: Tx, organization: NewOrganization): Promise<Organization | null> {
    const [row] = await tx.queryPrepared<Organization>(
      `INSERT INTO organizations AS o (id, name, slug, parent_id) VALUES ($1, $2, $3, $4)
       ON CONFLICT (slug) DO NOTHING RETURNING ${columns}`,
      [organization.id, organization.name, organization.slug, organization.parentId],
    );
    return row ?? null;
  }

  /** Returns organizations, newest first. @param q prefix of the name or slug, or the id */
  async list(reach: Reach, q: string | null, before: string | null, limit: number): Promise<Organization[]> {
    const where = matchConditions(reach, q).addIf(before, (value) => `o.id < ${value}`);
    return this.database.query<Organization>(
      `SELECT ${columns} FROM organizations o WHERE ${where.sql} ORDER BY o.id DESC LIMIT ${where.bind(limit)}`,
      where.values,
    );
  }

  /** Counts the organizations of the same list, up to the cap. */
  count(reach: Reach, q: string | null): Promise<CappedCount> {
    const { sql, values } = matchConditions(reach, q);
    const window = COUNT_CAP + 1;
    const rows = `(SELECT FROM organizations o WHERE ${sql} LIMIT ${window}) o`;
    return countMatches(this.database, { rows, isMatch: 'true', values }, window);
  }

  /** @throws GatehouseError `not_found` */
  get(reach: Reach, id: string): Promise<Organization> {
    return selectOrganization(this.database, reach, id);
  }

  /**
   * Returns an organization and locks it against changes until the transaction ends.
   * @throws GatehouseError `not_found`
   */
  lock(tx: Tx, reach: Reach, id: string): Promise<Organization> {
    return selectOrganization(tx, reach, id, 'FOR NO KEY UPDATE');
  }

  /** Updates an organization that the transaction has locked. */
  async update(
    tx: Tx,
    organization: Pick<Organization, 'id' | 'name' | 'billingReturnOrigins'>,
  ): Promise<Organization> {
    const [row] = await tx.queryPrepared<Organization>(
      `UPDATE organizations o SET name = $2, billing_return_origins = $3, updated_at = now()
       WHERE o.id = $1 RETURNING ${columns}`,
      [organization.id, organization.name, organization.billingReturnOrigins],
    );
    return row!;
  }
}

/** Returns the conditions for organizations within a reach. @param q prefix of the name or slug, or the id */
function matchConditions({ organizationId }: Reach, q: string | null): Conditions {
  const where = new Conditions();
  where.add(organizationsWithin(where.bind(organizationId)));
  return q === null ? where : where.add(nameOrSlugCondition(where, 'o', q));
}

async function selectOrganization(
  sql: Sql,
  { organizationId }: Reach,
  id: string,
  lock = '',
): Promise<Organization> {
  const [row] = await sql.queryPrepared<Organization>(
    `SELECT ${columns} FROM organizations o WHERE ${organizationsWithin('$1')} AND o.id = $2 ${lock}`,
    [organizationId, id],
  );
  if (!row) throw notFound();
  return row;
}
