import { notFound, type Organization } from '#domain';
import type { Database, Sql } from '../database.js';
import type { Tx } from '../transactions.js';
import { OrganizationEntity } from './organization.entity.js';

export type NewOrganization = Pick<Organization, 'id' | 'name' | 'slug' | 'parentId'>;

const columns = `
  o.id, o.name, o.slug, o.parent_id AS "parentId", o.billing_return_origins AS "billingReturnOrigins",
  o.created_at AS "createdAt", o.updated_at AS "updatedAt"`;

/** Every method takes the caller's organization: it sees itself and the organizations that it created. */
export class OrganizationsRepository {
  constructor(private readonly database: Database) {}

  /** Whether there is any organization: an empty house is one that may be seeded. */
  async exists(tx: Tx): Promise<boolean> {
    return tx.manager.exists(OrganizationEntity);
  }

  /** Null when the slug is taken. */
  async insert(tx: Tx, organization: NewOrganization): Promise<Organization | null> {
    const [row] = await tx.prepared<Organization>(
      `INSERT INTO organizations AS o (id, name, slug, parent_id) VALUES ($1, $2, $3, $4)
       ON CONFLICT (slug) DO NOTHING RETURNING ${columns}`,
      [organization.id, organization.name, organization.slug, organization.parentId],
    );
    return row ?? null;
  }

  /** Newest first. */
  async list(callerId: string, before: string | null, limit: number): Promise<Organization[]> {
    return this.database.prepared<Organization>(
      `SELECT ${columns} FROM organizations o
       WHERE (o.id = $1 OR o.parent_id = $1) AND ($2::uuid IS NULL OR o.id < $2) ORDER BY o.id DESC LIMIT $3`,
      [callerId, before, limit],
    );
  }

  /** @throws GatehouseError `not_found` */
  get(callerId: string, id: string): Promise<Organization> {
    return selectOrganization(this.database, callerId, id);
  }

  /**
   * An organization that nobody else can change until the transaction ends.
   * @throws GatehouseError `not_found`
   */
  lock(tx: Tx, callerId: string, id: string): Promise<Organization> {
    return selectOrganization(tx, callerId, id, 'FOR NO KEY UPDATE');
  }

  /** Writes an organization that the transaction has locked. */
  async update(
    tx: Tx,
    organization: Pick<Organization, 'id' | 'name' | 'billingReturnOrigins'>,
  ): Promise<Organization> {
    const [row] = await tx.prepared<Organization>(
      `UPDATE organizations o SET name = $2, billing_return_origins = $3, updated_at = now()
       WHERE o.id = $1 RETURNING ${columns}`,
      [organization.id, organization.name, organization.billingReturnOrigins],
    );
    return row!;
  }
}

async function selectOrganization(sql: Sql, callerId: string, id: string, lock = ''): Promise<Organization> {
  const [row] = await sql.prepared<Organization>(
    `SELECT ${columns} FROM organizations o WHERE (o.id = $1 OR o.parent_id = $1) AND o.id = $2 ${lock}`,
    [callerId, id],
  );
  if (!row) throw notFound();
  return row;
}
