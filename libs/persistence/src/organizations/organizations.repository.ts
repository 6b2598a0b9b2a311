// Raw SQL: an insert and an update that return the row, an advisory lock, and access scope conditions.
import { In } from 'typeorm';
import { notFound, type Organization, type AccessScope } from '@gatehouse/domain';
import type { CredentialCache } from '../database/credential-cache.js';
import type { Database } from '../database/database.js';
import type { Tx } from '../database/transactions.js';
import { cappedCount, COUNT_CAP, type CappedCount } from '../lists/capped-count.js';
import { nameOrSlugCondition } from '../lists/contains-condition.js';
import { Conditions, organizationsWithin, sampleAccessScopes } from '../sql/conditions.js';
import {
  arrayOf,
  dynamicStatement,
  nullable,
  statement,
  text,
  timestamptz,
  uuid,
} from '../sql/statements.js';
import { NIL_UUID } from '../sql/uuid-v7.js';
import { OrganizationEntity } from './organization.entity.js';

export type NewOrganization = Pick<Organization, 'id' | 'name' | 'slug' | 'parentId'>;

const organizationRow = {
  id: uuid,
  name: text,
  slug: text,
  parentId: nullable(uuid),
  billingReturnOrigins: arrayOf(text),
  createdAt: timestamptz,
  updatedAt: timestamptz,
};

const organizationColumns = `
  o.id, o.name, o.slug, o.parent_id AS "parentId", o.billing_return_origins AS "billingReturnOrigins",
  o.created_at AS "createdAt", o.updated_at AS "updatedAt"`;

/** Maximum number of organizations that a count reads. */
const COUNT_WINDOW = COUNT_CAP + 1;

const sampleCalls = sampleAccessScopes.flatMap((accessScope) =>
  [null, 'name', NIL_UUID].map((q) => [accessScope, q] as const),
);

/** Advisory lock key for seeding an empty installation. */
const SEED_LOCK = 7_120_914;

const lockSeeding = statement({}, `SELECT FROM pg_advisory_xact_lock(${SEED_LOCK})`);

const insertOrganization = statement(
  organizationRow,
  `INSERT INTO organizations AS o (id, name, slug, parent_id) VALUES ($1, $2, $3, $4)
   ON CONFLICT (slug) DO NOTHING RETURNING ${organizationColumns}`,
);

const listOrganizations = dynamicStatement(
  organizationRow,
  (accessScope: AccessScope, q: string | null, before: string | null, limit: number) => {
    const where = matchConditions(accessScope, q).addIf(before, (value) => `o.id < ${value}`);
    const sql = `
      SELECT ${organizationColumns} FROM organizations o
      WHERE ${where.sql} ORDER BY o.id DESC LIMIT ${where.bind(limit)}`;
    return { text: sql, values: where.values };
  },
  sampleCalls.flatMap((call) => [[...call, null, 1] as const, [...call, NIL_UUID, 1] as const]),
);

const countOrganizations = cappedCount(
  COUNT_WINDOW,
  (accessScope: AccessScope, q: string | null) => {
    const where = matchConditions(accessScope, q);
    const rows = `(SELECT FROM organizations o WHERE ${where.sql} LIMIT ${COUNT_WINDOW}) o`;
    return { where, rows, isMatch: 'true' };
  },
  sampleCalls,
);

const selectOrganization = `
  SELECT ${organizationColumns} FROM organizations o WHERE ${organizationsWithin('$1')} AND o.id = $2`;
const findOrganization = statement(organizationRow, selectOrganization);
const lockOrganization = statement(organizationRow, `${selectOrganization} FOR NO KEY UPDATE`);

const updateOrganization = statement(
  organizationRow,
  `UPDATE organizations o SET name = $2, billing_return_origins = $3, updated_at = now()
   WHERE o.id = $1 RETURNING ${organizationColumns}`,
);

/**
 * Organizations. A key with organization access can access its organization and the organizations that this
 * organization has created.
 */
export class OrganizationsRepository {
  constructor(
    private readonly database: Database,
    private readonly credentials: Pick<CredentialCache, 'clearAfter'>,
  ) {}

  /** Takes the lock for seeding the installation, which other processes wait for until the transaction ends. */
  async lockSeeding(tx: Tx): Promise<void> {
    await tx.execute(lockSeeding);
  }

  /** Returns whether any organization exists. Only an empty installation is seeded. */
  async hasAny(tx: Tx): Promise<boolean> {
    return tx.manager.exists(OrganizationEntity);
  }

  /** Inserts an organization. Returns null if the slug is taken. */
  async insert(tx: Tx, { id, name, slug, parentId }: NewOrganization): Promise<Organization | null> {
    const [row] = await tx.execute(insertOrganization, [id, name, slug, parentId]);
    return row ?? null;
  }

  /** Returns organizations, newest first. @param q name or slug substring, or the id */
  list(
    accessScope: AccessScope,
    q: string | null,
    before: string | null,
    limit: number,
  ): Promise<Organization[]> {
    return this.database.execute(listOrganizations(accessScope, q, before, limit));
  }

  /** Counts the organizations that match `q`, up to the cap. */
  count(accessScope: AccessScope, q: string | null): Promise<CappedCount> {
    return countOrganizations(this.database, accessScope, q);
  }

  /** Returns the given ids that belong to existing organizations. */
  async findExisting(tx: Tx, ids: string[]): Promise<string[]> {
    const found = await tx.manager.find(OrganizationEntity, {
      select: { id: true },
      where: { id: In(ids) },
    });
    return found.map(({ id }) => id);
  }

  /** Returns the ids of the organizations with these ids or slugs, in ascending order. */
  async findIds(tx: Tx, ids: string[], slugs: string[]): Promise<string[]> {
    const found = await tx.manager.find(OrganizationEntity, {
      select: { id: true },
      where: [{ id: In(ids) }, { slug: In(slugs) }],
      order: { id: 'ASC' },
    });
    return found.map(({ id }) => id);
  }

  /** @throws GatehouseError `not_found` */
  async get({ organizationIds }: AccessScope, id: string): Promise<Organization> {
    const [row] = await this.database.execute(findOrganization, [organizationIds, id]);
    if (!row) throw notFound();
    return row;
  }

  /**
   * Returns an organization, and locks it against changes until the transaction ends.
   * @throws GatehouseError `not_found`
   */
  async lock(tx: Tx, { organizationIds }: AccessScope, id: string): Promise<Organization> {
    const [row] = await tx.execute(lockOrganization, [organizationIds, id]);
    if (!row) throw notFound();
    return row;
  }

  /** Updates an organization that the transaction has locked. */
  async update(
    tx: Tx,
    { id, name, billingReturnOrigins }: Pick<Organization, 'id' | 'name' | 'billingReturnOrigins'>,
  ): Promise<Organization> {
    this.credentials.clearAfter(tx);
    const [row] = await tx.execute(updateOrganization, [id, name, billingReturnOrigins]);
    return row!;
  }
}

/**
 * Returns the conditions for organizations within an access scope.
 * @param q name or slug substring, or the id
 */
function matchConditions({ organizationIds }: AccessScope, q: string | null): Conditions {
  const where = new Conditions();
  where.add(organizationsWithin(where.bind(organizationIds)));
  return q === null ? where : where.add(nameOrSlugCondition(where, 'o', q));
}
