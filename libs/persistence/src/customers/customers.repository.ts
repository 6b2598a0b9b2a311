// Raw SQL: the sign-in hot path, row locks, joins, and updates that return rows.
import {
  customerFieldNames,
  GatehouseError,
  identityFields,
  type Customer,
  type ProjectContext,
  type AccessScope,
  type RevocableAccess,
} from '@gatehouse/domain';
import type { Database } from '../database/database.js';
import type { Tx } from '../database/transactions.js';
import {
  projectColumns,
  projectRow,
  toProjectContext,
  type ProjectRow,
} from '../projects/projects.repository.js';
import { Conditions, sampleAccessScopes } from '../sql/conditions.js';
import { selectedRow, selectList } from '../sql/entity-columns.js';
import { boolean, dynamicStatement, nullable, statement, text, uuid } from '../sql/statements.js';
import { NIL_UUID } from '../sql/uuid-v7.js';
import { IN_LOCK_ORDER } from '../webhooks/lock-order.js';
import { REVOKED_AT } from './access-revocation-sql.js';
import { markChangedSql } from './mark-changed-sql.js';
import { CustomerEntity } from './customer.entity.js';
import { unknownToPlanner } from '../sql/unknown-to-planner.js';

/** The customer columns, named as in `Customer`, for a table aliased `c`. */
export const customerColumns = selectList(CustomerEntity, 'c', customerFieldNames);
export const customerRow = selectedRow(CustomerEntity, customerFieldNames);

/** The customer columns, named as in `CustomerIdentity`, for a table aliased `c`. */
export const identityColumns = selectList(CustomerEntity, 'c', identityFields);
export const identityRow = selectedRow(CustomerEntity, identityFields);

const fieldsWithHash = [...customerFieldNames, 'passwordHash'] as const;
/** The customer columns, named as in `CustomerWithPasswordHash`, for a table aliased `c`. */
export const customerWithHashColumns = selectList(CustomerEntity, 'c', fieldsWithHash);
export const customerWithHashRow = selectedRow(CustomerEntity, fieldsWithHash);

const accessFields = ['accessRevokedAt', 'proofRequiredAt', 'claimedAt', 'imported'] as const;
const lockedFields = [...fieldsWithHash, ...accessFields] as const;
const lockedColumns = selectList(CustomerEntity, 'c', lockedFields);
const lockedRow = selectedRow(CustomerEntity, lockedFields);

/**
 * The columns that `toCustomerWithProject` reads, for a customer `c`, their project `p` and its organization `o`. The
 * project id comes from `p`.
 */
export const customerWithProjectColumns = [
  selectList(
    CustomerEntity,
    'c',
    customerFieldNames.filter((name) => name !== 'projectId'),
  ),
  projectColumns,
].join(', ');
export const customerWithProjectRow = { ...customerRow, ...projectRow };

export interface CustomerWithPasswordHash extends Customer {
  passwordHash: string | null;
}

/** A customer whose row the transaction has locked. */
export interface CustomerForUpdate extends CustomerWithPasswordHash, RevocableAccess {
  /** Time at which support last required a new identity proof, or null. */
  proofRequiredAt: Date | null;
  /** Time at which the owner of the email address last removed all earlier access, or null. */
  claimedAt: Date | null;
  /** True if an import or `legacySignIn` created the customer with their current email address. */
  imported: boolean;
}

/** A customer with their project. */
export interface CustomerWithProject {
  customer: Customer;
  project: ProjectContext;
}

/** A customer with their project and the fields that events and lists do not contain. */
export interface CustomerDetails extends CustomerWithProject {
  hasPassword: boolean;
  registrationDevice: string | null;
}

const findCustomerByEmail = statement(
  customerWithHashRow,
  `SELECT ${customerWithHashColumns} FROM customers c WHERE c.project_id = ${unknownToPlanner('$1')} AND c.email = $2`,
);

const findCustomer = dynamicStatement(
  {
    ...customerWithProjectRow,
    isArchived: boolean,
    hasPassword: boolean,
    registrationDevice: nullable(text),
  },
  (accessScope: AccessScope, id: string) => {
    const where = new Conditions().addAccessScope('p', 'c.project_id', accessScope);
    const sql = `
      SELECT ${customerWithProjectColumns}, p.archived_at IS NOT NULL AS "isArchived",
        c.password_hash IS NOT NULL AS "hasPassword", c.registration_device AS "registrationDevice"
      FROM customers c JOIN projects p ON p.id = c.project_id JOIN organizations o ON o.id = p.organization_id
      WHERE ${where.sql} AND c.id = ${where.bind(id)}`;
    return { text: sql, values: where.values };
  },
  sampleAccessScopes.map((accessScope) => [accessScope, NIL_UUID] as const),
  { isPrepared: true },
);

const lockCustomer = statement(
  lockedRow,
  `SELECT ${lockedColumns} FROM customers c
   WHERE c.project_id = $1 AND c.id = $2 FOR NO KEY UPDATE`,
);

const lockCustomerByEmail = statement(
  customerRow,
  `SELECT ${customerColumns} FROM customers c WHERE c.project_id = ${unknownToPlanner('$1')} AND c.email = $2 FOR KEY SHARE`,
);

const lockCustomerWithEmail = statement(
  lockedRow,
  `SELECT ${lockedColumns} FROM customers c
   WHERE c.project_id = ${unknownToPlanner('$1')} AND c.email = $2 FOR NO KEY UPDATE`,
);

const renewHash = statement(
  lockedRow,
  `UPDATE customers c SET password_hash = $4
   WHERE c.project_id = $1 AND c.id = $2 AND c.password_hash = $3 AND c.disabled_at IS NULL
   RETURNING ${lockedColumns}`,
);

const claimLoginFailedEvent = statement(
  { id: uuid },
  `UPDATE customers SET login_failed_event_at = now()
   WHERE project_id = $1 AND id = $2
     AND (login_failed_event_at IS NULL OR login_failed_event_at < now() - interval '1 minute') RETURNING id`,
);

const markEmailVerified = statement(
  customerRow,
  `UPDATE customers c SET email_verified = true, updated_at = now()
   WHERE c.project_id = $1 AND c.id = $2 AND c.email = $3 RETURNING ${customerColumns}`,
);

const claimCustomer = statement(
  customerRow,
  `UPDATE customers c SET email_verified = true, password_hash = NULL, claimed_at = now(), updated_at = now()
   WHERE c.project_id = $1 AND c.id = $2 AND c.email = $3 RETURNING ${customerColumns}`,
);

const fillProfile = statement(
  customerRow,
  `UPDATE customers c SET first_name = coalesce(c.first_name, $3), last_name = coalesce(c.last_name, $4),
     image_url = coalesce(c.image_url, $5), updated_at = now()
   WHERE c.project_id = $1 AND c.id = $2 AND (c.first_name IS NULL AND $3::text IS NOT NULL
     OR c.last_name IS NULL AND $4::text IS NOT NULL OR c.image_url IS NULL AND $5::text IS NOT NULL)
   RETURNING ${customerColumns}`,
);

const requireProof = statement(
  {},
  'UPDATE customers SET proof_required_at = now() WHERE project_id = $1 AND id = $2',
);

// Locks the row first: an UPDATE alone would compute the time before it waits for the lock.
const revokeAccess = statement(
  {},
  `WITH locked AS (SELECT id FROM customers WHERE project_id = $1 AND id = $2 FOR NO KEY UPDATE)
   UPDATE customers c SET access_revoked_at = ${REVOKED_AT} FROM locked WHERE c.id = locked.id`,
);

const setPassword = statement(
  customerRow,
  `UPDATE customers c SET password_hash = $3, updated_at = now()
   WHERE c.project_id = $1 AND c.id = $2 RETURNING ${customerColumns}`,
);

const resetPassword = statement(
  customerRow,
  `UPDATE customers c SET password_hash = $3, claimed_at = now(), updated_at = now()
   WHERE c.project_id = $1 AND c.id = $2 RETURNING ${customerColumns}`,
);

const setDisabled = statement(
  customerRow,
  `UPDATE customers c SET disabled_at = CASE WHEN $3 THEN now() END, updated_at = now(), import_updated_at = NULL
   WHERE c.project_id = $1 AND c.id = $2 AND (c.disabled_at IS NULL) = $3 RETURNING ${customerColumns}`,
);

const markChanged = statement({}, markChangedSql('$1'));

/**
 * Erases the customer's emails and detaches them, because deleting a customer deletes all emails that are still
 * attached. API processes on version 0.1.0 rely on that deletion to erase recipients. Also erases emails that were
 * sent to the email address before it had a customer, and finished emails that other customers caused by changing
 * their email address to this one.
 */
const eraseCustomerMails = statement(
  {},
  `UPDATE mails SET recipient = '', parameters = NULL, response = NULL, customer_id = nullif(customer_id, $1),
     state = CASE WHEN state = 'pending' THEN 'dropped' ELSE state END,
     reason = CASE WHEN state = 'pending' THEN 'customer_deleted' ELSE reason END,
     finished_at = coalesce(finished_at, now())
   WHERE customer_id = $1 OR (recipient = $3 AND project_id = $2 AND (customer_id IS NULL OR state <> 'pending'))`,
);

const cancelCustomerDeliveries = statement(
  {},
  `WITH undelivered AS (
     SELECT d.id FROM deliveries d JOIN events e ON e.id = d.event_id
     WHERE e.customer_id = $2 AND e.project_id = $1 AND d.state = 'pending' ${IN_LOCK_ORDER}
   )
   UPDATE deliveries d SET withdrawn = true,
     state = CASE WHEN d.lease_until IS NULL THEN 'cancelled' ELSE d.state END,
     next_attempt_at = CASE WHEN d.lease_until IS NOT NULL THEN d.next_attempt_at END,
     finished_at = CASE WHEN d.lease_until IS NULL THEN now() END
   FROM undelivered WHERE d.id = undelivered.id`,
);

export class CustomersRepository {
  constructor(private readonly database: Database) {}

  async findByEmail(projectId: string, email: string): Promise<CustomerWithPasswordHash | null> {
    const [row] = await this.database.execute(findCustomerByEmail, [projectId, email]);
    return row ?? null;
  }

  /**
   * Returns a customer for reading or erasure, even if the project is archived.
   * @throws GatehouseError `not_found` if there is no such customer within the access scope
   */
  async get(accessScope: AccessScope, id: string): Promise<CustomerDetails> {
    return (await this.find(accessScope, id)).found;
  }

  /**
   * Returns a customer for a change. The project must not be archived.
   * @throws GatehouseError `not_found` if there is no such customer within the access scope, `project_archived`
   */
  async getActive(accessScope: AccessScope, id: string): Promise<CustomerWithProject> {
    const { found, isArchived } = await this.find(accessScope, id);
    if (isArchived) throw new GatehouseError('project_archived');
    return found;
  }

  private async find(
    accessScope: AccessScope,
    id: string,
  ): Promise<{ found: CustomerDetails; isArchived: boolean }> {
    const [row] = await this.database.execute(findCustomer(accessScope, id));
    if (!row) throw new GatehouseError('not_found');
    const { isArchived, hasPassword, registrationDevice, ...found } = row;
    return { found: { ...toCustomerWithProject(found), hasPassword, registrationDevice }, isArchived };
  }

  /**
   * Reads a customer and locks the row against concurrent changes. Returns null if the customer no longer
   * exists.
   */
  async lock(tx: Tx, projectId: string, id: string): Promise<CustomerForUpdate | null> {
    const [row] = await tx.execute(lockCustomer, [projectId, id]);
    return row ?? null;
  }

  /** Reads and locks the customer with this email, like `lock`. Returns null if no customer has it. */
  async lockWithEmail(tx: Tx, projectId: string, email: string): Promise<CustomerForUpdate | null> {
    const [row] = await tx.execute(lockCustomerWithEmail, [projectId, email]);
    return row ?? null;
  }

  /**
   * Locks the customer with an email address, so that they cannot be deleted and their email cannot change before an
   * email to them is written. Returns null if no customer has the address. Other changes do not wait for this lock,
   * so two customers who request each other's address do not deadlock.
   */
  async lockByEmail(tx: Tx, projectId: string, email: string): Promise<Customer | null> {
    const [row] = await tx.execute(lockCustomerByEmail, [projectId, email]);
    return row ?? null;
  }

  /**
   * Locks a customer whose password was just verified and, if `hash.new` is given, replaces exactly the hash that was
   * verified. Returns null if the customer has since been disabled or deleted or has another password.
   */
  async lockAuthenticated(
    tx: Tx,
    { projectId, id }: Customer,
    hash: { old: string; new: string | null },
  ): Promise<CustomerForUpdate | null> {
    if (hash.new !== null) {
      const [row] = await tx.execute(renewHash, [projectId, id, hash.old, hash.new]);
      return row ?? null;
    }
    const current = await this.lock(tx, projectId, id);
    return current?.passwordHash === hash.old && !current.disabledAt ? current : null;
  }

  /** Claims a `login.failed` event. Returns false if the customer had one within the last minute. */
  async claimLoginFailedEvent(tx: Tx, projectId: string, id: string): Promise<boolean> {
    const rows = await tx.execute(claimLoginFailedEvent, [projectId, id]);
    return rows.length > 0;
  }

  /** Marks the email address as verified if it is still the customer's; returns null otherwise. */
  async markEmailVerified(tx: Tx, projectId: string, id: string, email: string): Promise<Customer | null> {
    const [row] = await tx.execute(markEmailVerified, [projectId, id, email]);
    return row ?? null;
  }

  /**
   * Marks the email address as verified and removes the password, if the address is still the customer's; returns
   * null otherwise.
   */
  async claim(tx: Tx, projectId: string, id: string, email: string): Promise<Customer | null> {
    const [row] = await tx.execute(claimCustomer, [projectId, id, email]);
    return row ?? null;
  }

  /** Sets the fields that the customer lacks. The caller has locked the row. @returns null if nothing changes */
  async fillProfile(
    tx: Tx,
    projectId: string,
    id: string,
    { firstName, lastName, imageUrl }: Pick<Customer, 'firstName' | 'lastName' | 'imageUrl'>,
  ): Promise<Customer | null> {
    const [row] = await tx.execute(fillProfile, [projectId, id, firstName, lastName, imageUrl]);
    return row ?? null;
  }

  /** Makes all earlier identity proofs insufficient to refresh a session. */
  async requireProof(tx: Tx, projectId: string, id: string): Promise<void> {
    await tx.execute(requireProof, [projectId, id]);
  }

  /**
   * Ends all access that a customer obtained before this moment. Older proofs, codes, flows and challenges are no
   * longer accepted.
   */
  async revokeAccess(tx: Tx, projectId: string, id: string): Promise<void> {
    await tx.execute(revokeAccess, [projectId, id]);
  }

  /** Sets a new password. The caller has locked the row. */
  async setPassword(tx: Tx, projectId: string, id: string, passwordHash: string): Promise<Customer> {
    const [row] = await tx.execute(setPassword, [projectId, id, passwordHash]);
    return row!;
  }

  /** Sets a new password for a customer who has proven ownership of the email address. The caller has locked the row. */
  async resetPassword(tx: Tx, projectId: string, id: string, passwordHash: string): Promise<Customer> {
    const [row] = await tx.execute(resetPassword, [projectId, id, passwordHash]);
    return row!;
  }

  /**
   * Enables or disables a customer, and prevents imports from undoing the change. The caller has locked the row.
   * @returns null if the customer already had this state
   */
  async setDisabled(tx: Tx, projectId: string, id: string, isDisabled: boolean): Promise<Customer | null> {
    const [row] = await tx.execute(setDisabled, [projectId, id, isDisabled]);
    if (!row) await tx.execute(markChanged, [id]);
    return row ?? null;
  }

  /**
   * Deletes a customer with their sessions and tokens, drops their pending emails, and cancels the pending deliveries
   * about them. A delivery in flight is not retried. Email log entries remain, without the recipient.
   * @returns false if the customer no longer existed
   */
  async delete(tx: Tx, projectId: string, id: string): Promise<boolean> {
    // Locks first, so that no email is added after the emails are erased.
    const customer = await this.lock(tx, projectId, id);
    if (!customer) return false;
    await tx.execute(eraseCustomerMails, [id, projectId, customer.email]);
    await tx.manager.delete(CustomerEntity, { projectId, id });
    await tx.execute(cancelCustomerDeliveries, [projectId, id]);
    return true;
  }
}

/** Splits a row with both tables' columns into the customer and the project. */
export const toCustomerWithProject = (row: Customer & ProjectRow): CustomerWithProject => {
  const { projectName, organizationId, organizationName, projectSettings, ...customer } = row;
  const project = toProjectContext({
    ...row,
    projectName,
    organizationId,
    organizationName,
    projectSettings,
  });
  return { customer, project };
};
