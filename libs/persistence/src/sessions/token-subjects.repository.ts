// Raw SQL: EXISTS subqueries on sessions, and a lookup of many values at once.
import { GatehouseError, type Customer } from '@gatehouse/domain';
import { IS_IN_PROJECT } from '../customers/is-in-project-sql.js';
import type { Tx } from '../database/transactions.js';
import { boolean, statement, uuid } from '../sql/statements.js';

type SubjectCustomer = Pick<Customer, 'id' | 'projectId' | 'externalId'>;

const isUsedInProject = statement(
  { isUsed: boolean },
  `SELECT EXISTS (SELECT FROM sessions s JOIN customers c ON c.id = s.customer_id WHERE c.project_id = $1) AS "isUsed"`,
);

const isUsedByCustomer = statement(
  { isUsed: boolean },
  'SELECT EXISTS (SELECT FROM sessions s WHERE s.customer_id = $1) AS "isUsed"',
);

const findCustomerIds = statement(
  { id: uuid },
  `SELECT c.id FROM customers c WHERE ${IS_IN_PROJECT} AND c.id = ANY ($2::uuid[])`,
);

/** Matches a customer id in the form in which tokens contain it as `sub`. */
const idPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const listUsed = statement(
  { id: uuid },
  `SELECT c.id FROM customers c WHERE ${IS_IN_PROJECT} AND c.id = ANY ($2::uuid[])
     AND EXISTS (SELECT FROM sessions s WHERE s.customer_id = c.id)`,
);

/**
 * Determines whether access tokens were issued, because other services may have stored their `sub` (docs/adr/0105).
 * Ended sessions count, too.
 */
export class TokenSubjectsRepository {
  async isUsedInProject(tx: Tx, projectId: string): Promise<boolean> {
    const [row] = await tx.execute(isUsedInProject, [projectId]);
    return row!.isUsed;
  }

  /**
   * Returns the external ids that equal a customer id in the project. If a customer has no `externalId`, the
   * customer's id is the `sub` in their tokens, and no other customer may have the same `sub`.
   */
  async findCustomerIds(
    tx: Tx,
    projectId: string,
    externalIds: readonly (string | null)[],
  ): Promise<Set<string>> {
    const ids = externalIds.filter((externalId) => externalId !== null && idPattern.test(externalId));
    if (ids.length === 0) return new Set();
    const rows = await tx.execute(findCustomerIds, [projectId, ids]);
    return new Set(rows.map(({ id }) => id));
  }

  /**
   * Checks that a customer's external id is not another customer's id.
   * @throws GatehouseError `external_id_taken`
   */
  async assertNotAnotherCustomersId(tx: Tx, { id, projectId, externalId }: SubjectCustomer): Promise<void> {
    if (externalId === id || (await this.findCustomerIds(tx, projectId, [externalId])).size === 0) return;
    throw new GatehouseError('external_id_taken', {
      detail: 'externalId is the id of another customer of this project, and can be the sub of their tokens.',
    });
  }

  /**
   * Returns whether a customer has ever signed in. The transaction must have locked the customer, so that no sign-in
   * can complete at the same time.
   */
  async isUsedByCustomer(tx: Tx, customerId: string): Promise<boolean> {
    const [row] = await tx.execute(isUsedByCustomer, [customerId]);
    return row!.isUsed;
  }

  /** Returns the given customers who have ever signed in. The transaction must have locked them. */
  async listUsed(tx: Tx, projectId: string, customerIds: string[]): Promise<Set<string>> {
    const rows = await tx.execute(listUsed, [projectId, customerIds]);
    return new Set(rows.map(({ id }) => id));
  }
}
