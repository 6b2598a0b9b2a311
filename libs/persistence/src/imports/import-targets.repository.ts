// Raw SQL: row locks for many customers, and a multi-row update.
import {
  customerFieldNames,
  GatehouseError,
  updatableFields,
  type Customer,
  type ImportTarget,
} from '@gatehouse/domain';
import { errorCode } from '@gatehouse/platform';
import { CustomerEntity } from '../customers/customer.entity.js';
import { IS_IN_PROJECT } from '../customers/is-in-project-sql.js';
import type { Tx } from '../database/transactions.js';
import { recordAssignments, recordColumns, selectedRow, selectList } from '../sql/entity-columns.js';
import { statement, uuid } from '../sql/statements.js';
import { unknownToPlanner } from '../sql/unknown-to-planner.js';

const UNIQUE_VIOLATION = '23505';

const targetFields = [...customerFieldNames, 'passwordHash', 'claimedAt', 'importUpdatedAt'] as const;

/** A customer that an import can update. */
export interface StoredImportTarget extends ImportTarget {
  passwordHash: string | null;
}

const updatedFields = [
  ...updatableFields,
  'disabledAt',
  'updatedAt',
  'lastLoginAt',
  'passwordHash',
  'importUpdatedAt',
] as const;

/** A customer with the values that an import sets. */
export type ImportTargetUpdate = Customer & Pick<StoredImportTarget, 'passwordHash' | 'importUpdatedAt'>;

const lockTargets = statement(
  selectedRow(CustomerEntity, targetFields),
  `SELECT ${selectList(CustomerEntity, 'c', targetFields)} FROM customers c
   WHERE ${IS_IN_PROJECT} AND c.id = ANY (ARRAY (
     SELECT found.id FROM unnest($2::text[]) AS wanted (external_id) CROSS JOIN LATERAL (
       -- Searches the index once per value: with a list as the condition, PostgreSQL may read all the project's customers.
       SELECT f.id FROM customers f WHERE f.project_id = ${unknownToPlanner('$1')} AND f.external_id = wanted.external_id LIMIT 1
     ) found
   ) || $3::uuid[])
     -- PostgreSQL checks this condition again after it has locked the customer.
     AND (c.external_id = ANY ($2::text[]) OR c.id = ANY ($3::uuid[]))
   -- A fixed order prevents deadlocks between imports of the same customers.
   ORDER BY c.id FOR NO KEY UPDATE`,
);

const updateTargets = statement(
  { id: uuid },
  `UPDATE customers c SET ${recordAssignments(CustomerEntity, updatedFields, 'u')}
   FROM json_to_recordset($2::json) AS u (${recordColumns(CustomerEntity, ['id', ...updatedFields])})
   WHERE ${IS_IN_PROJECT} AND c.id = u.id RETURNING c.id`,
);

/** Finds and updates the customers that import lines refer to. */
export class ImportTargetsRepository {
  /** Returns and locks the customers of the project that have one of the external ids or ids. */
  lock(
    tx: Tx,
    projectId: string,
    { externalIds, ids }: { externalIds: string[]; ids: string[] },
  ): Promise<StoredImportTarget[]> {
    return tx.execute(lockTargets, [projectId, externalIds, ids]);
  }

  /**
   * Updates customers that the transaction has locked.
   * @throws GatehouseError `conflict` if an email or external id has been taken in the meantime
   */
  async update(tx: Tx, projectId: string, customers: ImportTargetUpdate[]): Promise<void> {
    try {
      await tx.execute(updateTargets, [projectId, JSON.stringify(customers)]);
    } catch (error) {
      if (errorCode(error) !== UNIQUE_VIOLATION) throw error;
      throw new GatehouseError('conflict', {
        cause: error,
        detail: 'An email or external id of the import was taken at the same time. Send the import again.',
      });
    }
  }
}
