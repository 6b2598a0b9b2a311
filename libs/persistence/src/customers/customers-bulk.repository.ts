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

/** Bulk reads and writes of customers, for import and export. */
export class CustomersBulkRepository {
  constructor(private readonly database: Database) {}

  /**
   * Inserts customers of one project with all of their fields. Skips customers whose email or external id is
   * taken, including by another customer of the same call.
   * @returns the ids of the inserted customers
   */
  async insert(tx: Tx, projectId: string, customers: CustomerWithPasswordHash[]): Promise<Set<string>> {
    const rows = await tx.queryPrepared<{ id: string }>(
      `INSERT INTO customers (project_id, ${importedColumns})
       SELECT $1, c.* FROM json_to_recordset($2::json) AS c (${importedRecord})
       -- In a fixed order, so that two imports of the same customers cannot deadlock.
       ORDER BY c.email
       ON CONFLICT DO NOTHING RETURNING id`,
      [projectId, JSON.stringify(customers)],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Returns the ids of the customers with these addresses, by address. */
  async findIdsByEmail(tx: Tx, projectId: string, emails: string[]): Promise<Map<string, string>> {
    const rows = await tx.queryPrepared<{ id: string; email: string }>(
      'SELECT id, email FROM customers WHERE project_id = $1 AND email = ANY ($2)',
      [projectId, emails],
    );
    return new Map(rows.map(({ id, email }) => [email, id]));
  }

  /** Returns a page of a project's customers in the order of their ids, after `after`. */
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
