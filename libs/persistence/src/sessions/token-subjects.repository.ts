// This file contains SQL: EXISTS over sessions.
import { boolean, statement } from '../statements.js';
import type { Tx } from '../transactions.js';

const isUsedInProject = statement(
  { isUsed: boolean },
  `SELECT EXISTS (SELECT FROM sessions s JOIN customers c ON c.id = s.customer_id WHERE c.project_id = $1) AS "isUsed"`,
);

const isUsedByCustomer = statement(
  { isUsed: boolean },
  'SELECT EXISTS (SELECT FROM sessions s WHERE s.customer_id = $1) AS "isUsed"',
);

/** Whether access tokens have been issued, whose `sub` services store (docs/adr/0105). Ended sessions count. */
export class TokenSubjectsRepository {
  async isUsedInProject(tx: Tx, projectId: string): Promise<boolean> {
    const [row] = await tx.execute(isUsedInProject, [projectId]);
    return row!.isUsed;
  }

  /** The transaction must have locked the customer, so that no sign-in completes at the same time. */
  async isUsedByCustomer(tx: Tx, customerId: string): Promise<boolean> {
    const [row] = await tx.execute(isUsedByCustomer, [customerId]);
    return row!.isUsed;
  }
}
