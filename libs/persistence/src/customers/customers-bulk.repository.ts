import { customerFieldNames } from '@gatehouse/domain';
import type { Database } from '../database.js';
import { columnList, recordColumns } from '../entity-columns.js';
import type { Tx } from '../transactions.js';
import { CustomerEntity } from './customer.entity.js';
import { customerColumns, type CustomerWithPasswordHash } from './customers.repository.js';

/** The fields that an import sets. Its project is a parameter. */
const importedFields = [
  ...customerFieldNames.filter((name) => name !== 'projectId'),
  'passwordHash',
] as const;
const importedColumns = columnList(CustomerEntity, importedFields);
const importedRecord = recordColumns(CustomerEntity, importedFields);

/** Customers by the hundred: in and out of a project. */
export class CustomersBulkRepository {
  constructor(private readonly database: Database) {}

  /**
   * Inserts customers of one project with all of their fields, and leaves out those whose e-mail or external id is
   * taken, by another of them as well.
   * @returns the ids of those that were inserted
   */
  async insert(tx: Tx, projectId: string, customers: CustomerWithPasswordHash[]): Promise<Set<string>> {
    const rows = await tx.queryPrepared<{ id: string }>(
      `INSERT INTO customers (project_id, ${importedColumns})
       SELECT $1, c.* FROM json_to_recordset($2::json) AS c (${importedRecord})
       -- In one order, so that two imports of the same people do not wait for each other in a circle.
       ORDER BY c.email
       ON CONFLICT DO NOTHING RETURNING id`,
      [projectId, JSON.stringify(customers)],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Who has which of the addresses. */
  async findIdsByEmail(tx: Tx, projectId: string, emails: string[]): Promise<Map<string, string>> {
    const rows = await tx.queryPrepared<{ id: string; email: string }>(
      'SELECT id, email FROM customers WHERE project_id = $1 AND email = ANY ($2)',
      [projectId, emails],
    );
    return new Map(rows.map(({ id, email }) => [email, id]));
  }

  /** A project's customers in the order of their ids, from the one after `after` on. */
  async listPage(
    projectId: string,
    after: string | null,
    limit: number,
  ): Promise<CustomerWithPasswordHash[]> {
    return this.database.queryPrepared<CustomerWithPasswordHash>(
      `SELECT ${customerColumns}, c.password_hash AS "passwordHash" FROM customers c
       WHERE c.project_id = $1 AND c.id > $2 ORDER BY c.id LIMIT $3`,
      [projectId, after ?? '00000000-0000-0000-0000-000000000000', limit],
    );
  }
}
