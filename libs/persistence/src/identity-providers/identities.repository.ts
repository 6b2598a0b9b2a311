// Raw SQL: joins with the provider, and conditional updates that return rows.
import type { IdentityProviderType } from '@gatehouse/domain';
import { markChangedSql } from '../customers/mark-changed-sql.js';
import type { Database, Sql } from '../database/database.js';
import type { Tx } from '../database/transactions.js';
import {
  boolean,
  nullable,
  statement,
  text,
  textOf,
  timestamptz,
  uuid,
  type RowOf,
} from '../sql/statements.js';

const identityRow = {
  id: uuid,
  /** Provider slug. */
  provider: text,
  providerName: text,
  type: textOf<IdentityProviderType>(),
  subject: text,
  email: nullable(text),
  createdAt: timestamptz,
  lastUsedAt: nullable(timestamptz),
};

const identityColumns = `
  d.id, i.slug AS provider, i.name AS "providerName", i.type, d.subject, d.email, d.created_at AS "createdAt",
  d.last_used_at AS "lastUsedAt"`;

/** An account with an identity provider that signs in one customer. */
export type Identity = RowOf<typeof identityRow>;

/** An identity to link, as described by the provider. */
export interface NewIdentity {
  id: string;
  projectId: string;
  providerId: string;
  customerId: string;
  subject: string;
  email: string | null;
  /** See `IdentityEntity`. */
  isPending: boolean;
}

/** Identifies an account by its provider and subject. */
export type IdentityKey = Pick<NewIdentity, 'providerId' | 'subject'>;

/** An identity in imports and exports. */
export interface PortableIdentity {
  /** Provider slug. */
  provider: string;
  subject: string;
}

/** An identity from an import. */
export interface ImportedIdentity extends PortableIdentity {
  id: string;
  customerId: string;
}

export const listIdentities = statement(
  identityRow,
  `SELECT ${identityColumns} FROM identities d JOIN identity_providers i ON i.id = d.provider_id
   WHERE d.customer_id = $1 ORDER BY d.id DESC`,
);

const findIdentity = statement(
  identityRow,
  `SELECT ${identityColumns} FROM identities d JOIN identity_providers i ON i.id = d.provider_id
   WHERE d.customer_id = $1 AND d.id = $2`,
);

const listUsable = statement(
  identityRow,
  `SELECT ${identityColumns} FROM identities d JOIN identity_providers i ON i.id = d.provider_id
   WHERE d.customer_id = $1 AND i.enabled ORDER BY d.id`,
);

const deleteIdentities = statement(
  {},
  `WITH changed AS (${markChangedSql('$1')})
   DELETE FROM identities WHERE customer_id = $1
     AND (provider_id, subject) IS DISTINCT FROM ($2::uuid, $3::text)`,
);

const deleteIdentity = statement(
  {},
  `WITH changed AS (${markChangedSql('$1')}) DELETE FROM identities WHERE customer_id = $1 AND id = $2`,
);

const listByProvider = statement(
  identityRow,
  `SELECT ${identityColumns} FROM identities d JOIN identity_providers i ON i.id = d.provider_id
   WHERE d.customer_id = $1 AND d.provider_id = $2 ORDER BY d.id DESC`,
);

const listPortable = statement(
  { customerId: uuid, provider: text, subject: text },
  `SELECT d.customer_id AS "customerId", i.slug AS provider, d.subject
   FROM identities d JOIN identity_providers i ON i.id = d.provider_id WHERE d.customer_id = ANY ($1) ORDER BY d.id`,
);

const listByCustomers = statement(
  { ...identityRow, customerId: uuid },
  `SELECT ${identityColumns}, d.customer_id AS "customerId"
   FROM identities d JOIN identity_providers i ON i.id = d.provider_id WHERE d.customer_id = ANY ($1) ORDER BY d.id`,
);

const findOwners = statement(
  { provider: text, subject: text, customerId: uuid },
  `SELECT i.slug AS provider, d.subject, d.customer_id AS "customerId"
   FROM unnest($2::text[], $3::text[]) AS p (provider, subject)
     JOIN identity_providers i ON i.project_id = $1 AND i.slug = p.provider
     JOIN identities d ON d.provider_id = i.id AND d.subject = p.subject`,
);

const linkRow = {
  customerId: uuid,
  isPending: boolean,
  email: text,
  emailVerified: boolean,
  disabledAt: nullable(timestamptz),
};

/** The link from an identity to a customer, with the customer fields that a sign-in depends on. */
export type IdentityLink = RowOf<typeof linkRow>;

const findLink = statement(
  linkRow,
  `SELECT d.customer_id AS "customerId", d.is_pending AS "isPending", c.email,
     c.email_verified AS "emailVerified", c.disabled_at AS "disabledAt"
   FROM identities d JOIN customers c ON c.id = d.customer_id WHERE d.provider_id = $1 AND d.subject = $2`,
);

const recordUse = statement(
  { id: uuid },
  `UPDATE identities SET last_used_at = now(), email = $4, is_pending = false
   WHERE provider_id = $1 AND subject = $2 AND customer_id = $3 RETURNING id`,
);

/** Stores customers' identities at identity providers. A pair of provider and subject belongs to one customer. */
export class IdentitiesRepository {
  constructor(private readonly database: Database) {}

  /** Returns all of the customer's identities, newest first. */
  list(customerId: string, sql: Sql = this.database): Promise<Identity[]> {
    return sql.execute(listIdentities, [customerId]);
  }

  /** Returns the customer's identities at enabled providers. */
  listUsable(customerId: string, sql: Sql = this.database): Promise<Identity[]> {
    return sql.execute(listUsable, [customerId]);
  }

  /** Returns the customer's identities at one provider, newest first. */
  listByProvider(customerId: string, providerId: string, sql: Sql = this.database): Promise<Identity[]> {
    return sql.execute(listByProvider, [customerId, providerId]);
  }

  /** Returns these customers' identities, oldest first, by customer id. */
  async listPortable(customerIds: string[]): Promise<Map<string, PortableIdentity[]>> {
    const rows = await this.database.execute(listPortable, [customerIds]);
    const identities = new Map<string, PortableIdentity[]>(customerIds.map((id) => [id, []]));
    for (const { customerId, ...identity } of rows) identities.get(customerId)!.push(identity);
    return identities;
  }

  /** Returns these customers' identities, oldest first. */
  listByCustomers(customerIds: string[], sql: Sql): Promise<(Identity & { customerId: string })[]> {
    return sql.execute(listByCustomers, [customerIds]);
  }

  /** Returns the identities in the list that belong to the project's customers, with the customer ids. */
  findOwners(
    tx: Tx,
    projectId: string,
    identities: PortableIdentity[],
  ): Promise<(PortableIdentity & { customerId: string })[]> {
    const providers = identities.map(({ provider }) => provider);
    const subjects = identities.map(({ subject }) => subject);
    return tx.execute(findOwners, [projectId, providers, subjects]);
  }

  /** Returns the id of the customer that an identity is linked to, or null. */
  async findCustomerId(
    providerId: string,
    subject: string,
    sql: Sql = this.database,
  ): Promise<string | null> {
    return (await this.findLink(providerId, subject, sql))?.customerId ?? null;
  }

  /** Returns an identity's link, or null if it is not linked. */
  async findLink(
    providerId: string,
    subject: string,
    sql: Sql = this.database,
  ): Promise<IdentityLink | null> {
    const [link] = await sql.execute(findLink, [providerId, subject]);
    return link ?? null;
  }

  /**
   * Records a sign-in. The caller has locked the customer.
   * @returns false if the identity is no longer linked to this customer
   */
  async recordUse(
    tx: Tx,
    { providerId, customerId, subject, email }: Omit<NewIdentity, 'id' | 'projectId' | 'isPending'>,
  ): Promise<boolean> {
    const rows = await tx.execute(recordUse, [providerId, subject, customerId, email]);
    return rows.length > 0;
  }

  /** Deletes an identity of a customer that the transaction has locked. Returns null if it does not exist. */
  async delete(tx: Tx, customerId: string, id: string): Promise<Identity | null> {
    const [identity] = await tx.execute(findIdentity, [customerId, id]);
    if (identity) await tx.execute(deleteIdentity, [customerId, id]);
    return identity ?? null;
  }

  /**
   * Deletes all identities of a customer that the transaction has locked. @param kept the identity to keep, if any
   */
  async deleteAll(tx: Tx, customerId: string, kept?: IdentityKey): Promise<void> {
    await tx.execute(deleteIdentities, [customerId, kept?.providerId ?? null, kept?.subject ?? null]);
  }
}
