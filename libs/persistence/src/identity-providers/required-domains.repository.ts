// Raw SQL: a queue with SKIP LOCKED, a bounded index scan, and conditional updates that return rows.
import type { Customer } from '@gatehouse/domain';
import { REVOKED_AT } from '../customers/access-revocation-sql.js';
import { customerColumns, customerRow } from '../customers/customers.repository.js';
import { IS_IN_PROJECT } from '../customers/is-in-project-sql.js';
import type { Tx } from '../database/transactions.js';
import { isActiveSession, sessionColumns, sessionRow } from '../sessions/session-sql.js';
import type { SessionRecord } from '../sessions/sessions.repository.js';
import { boolean, neverNull, statement, text, uuid, type RowOf } from '../sql/statements.js';

const pendingRow = {
  providerId: uuid,
  projectId: uuid,
  organizationId: uuid,
  domain: text,
  /** Id of the last customer whose sessions were checked. */
  checkedTo: neverNull(uuid),
  /** False if the provider is no longer required. */
  isRequired: boolean,
};

/** A domain whose sessions must be checked. */
export type PendingDomain = RowOf<typeof pendingRow>;

/** An ended session and its customer. */
export interface EndedSession {
  session: SessionRecord;
  customer: Customer;
}

/** Condition that the sessions in a domain `d` must be checked. */
export const isSessionCheckPending = 'd.sessions_checked_to IS NOT NULL';

const claimPending = statement(
  pendingRow,
  `SELECT d.provider_id AS "providerId", d.project_id AS "projectId", p.organization_id AS "organizationId", d.domain,
     d.sessions_checked_to AS "checkedTo", i.required AND i.enabled AND d.verified_at IS NOT NULL AS "isRequired"
   FROM identity_provider_domains d JOIN identity_providers i ON i.id = d.provider_id
     JOIN projects p ON p.id = d.project_id
   WHERE ${isSessionCheckPending} LIMIT 1 FOR NO KEY UPDATE OF d SKIP LOCKED`,
);

const isInDomain = (domain: string): string => `split_part(c.email, '@', 2) = ${domain}`;

const listPage = statement(
  { id: uuid, isInDomain: boolean },
  `SELECT c.id, ${isInDomain('$3')} AS "isInDomain" FROM customers c
   WHERE c.project_id = $1 AND c.id > $2 ORDER BY c.id LIMIT $4`,
);

const lockCustomers = statement(
  customerRow,
  `SELECT ${customerColumns} FROM customers c
   WHERE ${IS_IN_PROJECT} AND c.id = ANY ($2) AND ${isInDomain('$3')} ORDER BY c.id FOR NO KEY UPDATE`,
);

const revokeSessions = statement(
  { ...sessionRow, customerId: uuid },
  `WITH ended AS (
   UPDATE sessions s SET revoked_at = now(), revoked_reason = 'sso_required'
   WHERE s.customer_id = ANY ($1) AND ${isActiveSession} AND s.provider_id IS DISTINCT FROM $2
     AND NOT 'support' = ANY (s.amr)
   RETURNING ${sessionColumns}, s.customer_id AS "customerId"
   ), revoked AS (
     UPDATE customers SET access_revoked_at = ${REVOKED_AT} WHERE id IN (SELECT "customerId" FROM ended)
   )
   SELECT * FROM ended`,
);

const recordProgress = statement(
  { domain: text },
  `UPDATE identity_provider_domains SET sessions_checked_to = $3
   WHERE provider_id = $1 AND domain = $2 RETURNING domain`,
);

/**
 * Ends sessions that were not opened with the required provider. The progress is stored, so that any worker can
 * continue.
 */
export class RequiredDomainsRepository {
  /** Returns a domain whose sessions must be checked, or null. Locks it until the transaction ends. */
  async claim(tx: Tx): Promise<PendingDomain | null> {
    const [row] = await tx.execute(claimPending, []);
    return row ?? null;
  }

  /**
   * Checks the sessions of the next customers in the project of a claimed domain. Locks the customers in the domain.
   * As a result, either this check finds a concurrent sign-in's session, or that sign-in finds that the provider is
   * required.
   * @param limit maximum number of customers to read, most of whom may not be in the domain
   * @returns the ended sessions
   */
  async endNextSessions(tx: Tx, pending: PendingDomain, limit: number): Promise<EndedSession[]> {
    const { providerId, projectId, domain, checkedTo, isRequired } = pending;
    const page = isRequired ? await tx.execute(listPage, [projectId, checkedTo, domain, limit]) : [];
    const last = page.length < limit ? null : page.at(-1)!.id;
    await tx.execute(recordProgress, [providerId, domain, last]);
    const ids = page.filter((each) => each.isInDomain).map(({ id }) => id);
    if (ids.length === 0) return [];
    const locked = await tx.execute(lockCustomers, [projectId, ids, domain]);
    const customers = new Map(locked.map((customer) => [customer.id, customer]));
    const ended = await tx.execute(revokeSessions, [[...customers.keys()], providerId]);
    return ended.map(({ customerId, ...session }) => ({ session, customer: customers.get(customerId)! }));
  }
}
