// Raw SQL: joins with the provider, row locks, claims of due lookups, and times from the database clock.
import { GatehouseError, notFound, type ProviderDomain } from '@gatehouse/domain';
import { errorCode } from '@gatehouse/platform';
import type { Database, Sql } from '../database/database.js';
import type { Tx } from '../database/transactions.js';
import { selectedRow, selectList } from '../sql/entity-columns.js';
import { boolean, nullable, statement, text, timestamptz, uuid, type RowOf } from '../sql/statements.js';
import { NIL_UUID } from '../sql/uuid-v7.js';
import { IdentityProviderDomainEntity } from './identity-provider-domain.entity.js';

const UNIQUE_VIOLATION = '23505';

const domainFields = [
  ...(['providerId', 'projectId', 'domain', 'token', 'verifiedAt', 'checkedAt', 'failingSince'] as const),
] as const satisfies (keyof ProviderDomain)[];
const domainColumns = selectList(IdentityProviderDomainEntity, 'd', domainFields);
const domainRow = selectedRow(IdentityProviderDomainEntity, domainFields);

const ownerRow = { id: uuid, slug: text, required: boolean };

/** The enabled provider that a domain belongs to. */
export type DomainOwner = RowOf<typeof ownerRow>;

const findOwner = statement(
  ownerRow,
  `SELECT i.id, i.slug, i.required FROM identity_provider_domains d JOIN identity_providers i ON i.id = d.provider_id
   WHERE d.project_id = $1 AND d.domain = $2 AND d.verified_at IS NOT NULL AND i.enabled`,
);

const listDomains = statement(
  domainRow,
  `SELECT ${domainColumns} FROM identity_provider_domains d
   WHERE d.project_id = $1 AND d.provider_id = ANY ($2) ORDER BY d.domain`,
);

const selectDomain = `SELECT ${domainColumns}, now()::timestamptz(3) AS time FROM identity_provider_domains d
   WHERE d.project_id = $1 AND d.provider_id = $2 AND d.domain = $3`;
const checkedRow = { ...domainRow, time: timestamptz };
const findDomain = statement(checkedRow, selectDomain);
const lockDomain = statement(checkedRow, `${selectDomain} FOR NO KEY UPDATE`);

const insertDomains = statement(
  { domain: text },
  `INSERT INTO identity_provider_domains (project_id, provider_id, domain, token)
   SELECT $1, $2, given.domain, given.token FROM unnest($3::text[], $4::text[]) AS given (domain, token)
   ON CONFLICT (provider_id, domain) DO NOTHING RETURNING domain`,
);

const deleteOtherDomains = statement(
  { domain: text },
  `DELETE FROM identity_provider_domains WHERE project_id = $1 AND provider_id = $2 AND domain <> ALL ($3)
   RETURNING domain`,
);

const recordCheck = statement(
  domainRow,
  `UPDATE identity_provider_domains d SET checked_at = now(), verified_at = $4, failing_since = $5,
     sessions_checked_to = CASE WHEN d.verified_at IS NULL AND $4::timestamptz IS NOT NULL THEN '${NIL_UUID}'
       ELSE d.sessions_checked_to END
   WHERE d.project_id = $1 AND d.provider_id = $2 AND d.domain = $3 RETURNING ${domainColumns}`,
);

// Also checks the sessions again, because a customer may have been created, or moved to the domain, during the
// previous check.
const claimDue = statement(
  { ...domainRow, organizationId: uuid, previousCheckAt: nullable(timestamptz) },
  `UPDATE identity_provider_domains d
   SET checked_at = now(), sessions_checked_to = coalesce(d.sessions_checked_to, '${NIL_UUID}')
   FROM (SELECT d.provider_id, d.domain, d.checked_at, p.organization_id
     FROM identity_provider_domains d JOIN projects p ON p.id = d.project_id
     WHERE d.verified_at IS NOT NULL AND d.checked_at < now() - interval '1 day' AND p.archived_at IS NULL
     ORDER BY d.checked_at LIMIT $1 FOR NO KEY UPDATE OF d SKIP LOCKED) due
   WHERE d.provider_id = due.provider_id AND d.domain = due.domain
   RETURNING ${domainColumns}, due.organization_id AS "organizationId", due.checked_at AS "previousCheckAt"`,
);

const scheduleSessionCheck = statement(
  { domain: text },
  `UPDATE identity_provider_domains SET sessions_checked_to = '${NIL_UUID}'
   WHERE project_id = $1 AND provider_id = $2 AND verified_at IS NOT NULL RETURNING domain`,
);

/** A domain that is due for a lookup. */
export interface ClaimedDomain extends ProviderDomain {
  organizationId: string;
  /** Previous lookup time. `checkedAt` is the claim time. */
  previousCheckAt: Date | null;
}

/** Identifies a provider's domain. */
export type DomainKey = Pick<ProviderDomain, 'projectId' | 'providerId' | 'domain'>;

/** Stores identity provider domains. A domain is verified for at most one provider in a project. */
export class ProviderDomainsRepository {
  constructor(private readonly database: Database) {}

  /** Returns the enabled provider that a domain belongs to, or null. */
  async findOwner(projectId: string, domain: string, sql: Sql = this.database): Promise<DomainOwner | null> {
    const [row] = await sql.execute(findOwner, [projectId, domain]);
    return row ?? null;
  }

  /** Returns all domains of these providers, in alphabetical order. */
  list(projectId: string, providerIds: string[], sql: Sql = this.database): Promise<ProviderDomain[]> {
    return sql.execute(listDomains, [projectId, providerIds]);
  }

  /** @throws GatehouseError `not_found` */
  async get({ projectId, providerId, domain }: DomainKey): Promise<ProviderDomain> {
    const [row] = await this.database.execute(findDomain, [projectId, providerId, domain]);
    if (!row) throw notFound();
    return row;
  }

  /** Returns a domain and locks it, with the transaction's time. Null if it no longer exists. */
  async lock(
    tx: Tx,
    { projectId, providerId, domain }: DomainKey,
  ): Promise<(ProviderDomain & { time: Date }) | null> {
    const [row] = await tx.execute(lockDomain, [projectId, providerId, domain]);
    return row ?? null;
  }

  /**
   * Replaces the domains of a provider that the transaction has locked. Domains that it already has do not change.
   * @param tokens one for each domain, used if the domain is new
   */
  async replace(
    tx: Tx,
    { projectId, id }: { projectId: string; id: string },
    domains: string[],
    tokens: string[],
  ): Promise<void> {
    await tx.execute(deleteOtherDomains, [projectId, id, domains]);
    await tx.execute(insertDomains, [projectId, id, domains, tokens]);
  }

  /**
   * Records a lookup of a domain that the transaction has locked. If the domain becomes verified, its customers'
   * sessions are checked next.
   * @throws GatehouseError `conflict` if the domain is verified for another provider in the project
   */
  async recordCheck(
    tx: Tx,
    { projectId, providerId, domain }: DomainKey,
    { verifiedAt, failingSince }: Pick<ProviderDomain, 'verifiedAt' | 'failingSince'>,
  ): Promise<ProviderDomain> {
    try {
      const [row] = await tx.execute(recordCheck, [projectId, providerId, domain, verifiedAt, failingSince]);
      return row!;
    } catch (error) {
      if (errorCode(error) !== UNIQUE_VIOLATION) throw error;
      throw new GatehouseError('conflict', {
        detail: 'The domain is verified for another identity provider of the project. Remove it there first.',
        cause: error,
      });
    }
  }

  /**
   * Claims verified domains whose last lookup was more than a day ago. If several workers claim concurrently, only
   * one gets each domain.
   */
  claimDue(limit: number): Promise<ClaimedDomain[]> {
    return this.database.execute(claimDue, [limit]);
  }

  /** Schedules a session check for all verified domains of a provider that has become required or enabled. */
  async scheduleSessionCheck(tx: Tx, projectId: string, providerId: string): Promise<void> {
    await tx.execute(scheduleSessionCheck, [projectId, providerId]);
  }
}
