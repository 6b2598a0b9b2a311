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

/** A reach of a project sees its organization too, and those that it created. */
export class OrganizationsRepository {
  constructor(private readonly database: Database) {}

  /** Whether there is any organization: an empty house is one that may be seeded. */
  async hasAny(tx: Tx): Promise<boolean> {
    return tx.manager.exists(OrganizationEntity);
  }

  /** Null when the slug is taken. */
  async insert(tx: Tx, organization: NewOrganization): Promise<Organization | null> {
    const [row] = await tx.queryPrepared<Organization>(
      `INSERT INTO organizations AS o (id, name, slug, parent_id) VALUES ($1, $2, $3, $4)
       ON CONFLICT (slug) DO NOTHING RETURNING ${columns}`,
      [organization.id, organization.name, organization.slug, organization.parentId],
    );
    return row ?? null;
  }

  /** Newest first. @param q only those that are called so, as far as the text goes */
  async list(reach: Reach, q: string | null, before: string | null, limit: number): Promise<Organization[]> {
    const where = matchConditions(reach, q).addIf(before, (value) => `o.id < ${value}`);
    return this.database.query<Organization>(
      `SELECT ${columns} FROM organizations o WHERE ${where.sql} ORDER BY o.id DESC LIMIT ${where.bind(limit)}`,
      where.values,
    );
  }

  /** How many organizations of the same list there are, as far as anybody reads. */
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
   * An organization that nobody else can change until the transaction ends.
   * @throws GatehouseError `not_found`
   */
  lock(tx: Tx, reach: Reach, id: string): Promise<Organization> {
    return selectOrganization(tx, reach, id, 'FOR NO KEY UPDATE');
  }

  /** Writes an organization that the transaction has locked. */
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

/** Organizations within a reach. @param q only those that are called so, as far as the text goes */
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
