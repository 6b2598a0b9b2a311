// Raw SQL: row locks with joins, and updates that return rows.
import { changeableFields, GatehouseError, type Customer, type AccessScope } from '@gatehouse/domain';
import { errorCode } from '@gatehouse/platform';
import type { Tx } from '../database/transactions.js';
import { Conditions, sampleAccessScopes } from '../sql/conditions.js';
import { assignmentList } from '../sql/entity-columns.js';
import { boolean, dynamicStatement, statement, timestamptz } from '../sql/statements.js';
import { NIL_UUID } from '../sql/uuid-v7.js';
import { CustomerEntity } from './customer.entity.js';
import {
  customerColumns,
  customerRow,
  customerWithProjectColumns,
  customerWithProjectRow,
  toCustomerWithProject,
  type CustomerWithProject,
} from './customers.repository.js';

/** A customer whose row is locked, with the transaction's time. */
export interface LockedCustomer extends CustomerWithProject {
  time: Date;
}

const UNIQUE_VIOLATION = '23505';
const EXTERNAL_ID_CONSTRAINT = 'customers_project_id_external_id_key';

const lockCustomerInAccessScope = dynamicStatement(
  { ...customerWithProjectRow, isArchived: boolean, time: timestamptz },
  (accessScope: AccessScope, id: string) => {
    const where = new Conditions().addAccessScope('p', 'c.project_id', accessScope);
    const sql = `
      SELECT ${customerWithProjectColumns}, p.archived_at IS NOT NULL AS "isArchived",
        now()::timestamptz(3) AS time
      FROM customers c JOIN projects p ON p.id = c.project_id JOIN organizations o ON o.id = p.organization_id
      WHERE ${where.sql} AND c.id = ${where.bind(id)} FOR NO KEY UPDATE OF c`;
    return { text: sql, values: where.values };
  },
  sampleAccessScopes.map((accessScope) => [accessScope, NIL_UUID] as const),
  { isPrepared: true },
);

const updateCustomer = statement(
  {},
  `UPDATE customers c SET ${assignmentList(CustomerEntity, changeableFields, 3)}, updated_at = now(),
     imported = imported AND email = $${3 + changeableFields.indexOf('email')}
   WHERE c.project_id = $1 AND c.id = $2`,
);

const changeEmail = statement(
  customerRow,
  `UPDATE customers c SET email = $3, email_verified = true, imported = imported AND email = $3, updated_at = now()
   WHERE c.project_id = $1 AND c.id = $2 RETURNING ${customerColumns}`,
);

/** Changes customer fields, some of which are unique within the project. */
export class CustomerChangesRepository {
  /**
   * Reads a customer for a change and locks the row against concurrent changes.
   * @throws GatehouseError `not_found` if there is no such customer within the access scope, `project_archived`
   */
  async lockActive(tx: Tx, accessScope: AccessScope, id: string): Promise<LockedCustomer> {
    const [row] = await tx.execute(lockCustomerInAccessScope(accessScope, id));
    if (!row) throw new GatehouseError('not_found');
    const { isArchived, time, ...found } = row;
    if (isArchived) throw new GatehouseError('project_archived');
    return { ...toCustomerWithProject(found), time };
  }

  /**
   * Writes the changeable fields of a customer that the transaction has locked, and sets `updatedAt` to the
   * transaction's time.
   * @throws GatehouseError `email_already_registered`, `external_id_taken`
   */
  async update(tx: Tx, customer: Customer): Promise<void> {
    try {
      await tx.execute(updateCustomer, [
        customer.projectId,
        customer.id,
        ...changeableFields.map((field) => customer[field]),
      ]);
    } catch (error) {
      throw toConflictError(error) ?? error;
    }
  }

  /**
   * Sets a new email address whose ownership the customer has confirmed.
   * @throws GatehouseError `email_already_registered`
   */
  async changeEmail(tx: Tx, projectId: string, id: string, email: string): Promise<Customer> {
    try {
      const [row] = await tx.execute(changeEmail, [projectId, id, email]);
      return row!;
    } catch (error) {
      throw toConflictError(error) ?? error;
    }
  }
}

/**
 * Translates a unique violation into the error for a taken email or external id. Returns null for any other error.
 */
function toConflictError(error: unknown): GatehouseError | null {
  if (errorCode(error) !== UNIQUE_VIOLATION) return null;
  const isExternalId = (error as { constraint?: string }).constraint === EXTERNAL_ID_CONSTRAINT;
  return new GatehouseError(isExternalId ? 'external_id_taken' : 'email_already_registered', {
    cause: error,
  });
}
