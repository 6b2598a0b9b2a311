// Raw SQL: lookups of many values at once, large pages that include password hashes, and a bounded aggregate.
import type { Customer } from '@gatehouse/domain';
import type { Database } from '../database/database.js';
import type { Tx } from '../database/transactions.js';
import { integer, statement, text, uuid } from '../sql/statements.js';
import { NIL_UUID } from '../sql/uuid-v7.js';
import {
  customerWithHashColumns,
  customerWithHashRow,
  type CustomerWithPasswordHash,
} from './customers.repository.js';
import { unknownToPlanner } from '../sql/unknown-to-planner.js';

// Searches the project's index once per value: with a list as the condition, PostgreSQL may read all the project's
// customers.
const findTakenIds = statement(
  { id: uuid },
  `SELECT c.id FROM customers c WHERE c.id = ANY ($1::uuid[])
   UNION ALL SELECT wanted.id FROM unnest($3::uuid[]) AS wanted (id) CROSS JOIN LATERAL (
     SELECT FROM customers c WHERE c.project_id = ${unknownToPlanner('$2')} AND c.external_id = wanted.id::text LIMIT 1
   ) taken`,
);

const findIdsByEmail = statement(
  { id: uuid, email: text },
  `SELECT found.id, found.email FROM unnest($2::text[]) AS wanted (email) CROSS JOIN LATERAL (
     SELECT c.id, c.email FROM customers c WHERE c.project_id = ${unknownToPlanner('$1')} AND c.email = wanted.email LIMIT 1
   ) found`,
);

const listCustomers = statement(
  customerWithHashRow,
  `SELECT ${customerWithHashColumns} FROM customers c
   WHERE c.project_id = $1 AND c.id > $2 ORDER BY c.id LIMIT $3`,
);

const MEASURED_CUSTOMERS = 1_000;

const measureMetadata = statement(
  { bytes: integer },
  `SELECT coalesce(max(octet_length(c.claims::text)), 0) AS bytes FROM (
     SELECT (SELECT jsonb_object_agg(m.key, m.value) FROM jsonb_each(c.public_metadata) m WHERE m.key = ANY ($2)) AS claims
     FROM (SELECT public_metadata FROM customers WHERE project_id = $1 ORDER BY id DESC LIMIT ${MEASURED_CUSTOMERS}) c
   ) c`,
);

/** Reads customers in bulk, for imports and exports. */
export class CustomersBulkRepository {
  constructor(private readonly database: Database) {}

  /**
   * Returns the ids that are already taken, as a customer id in any project or as an external id in this project.
   * Searches the external ids only for customers whose external id differs from their id. If both are equal, the
   * insert detects the conflict, because external ids are unique.
   */
  async findTakenIds(
    tx: Tx,
    projectId: string,
    customers: Pick<Customer, 'id' | 'externalId'>[],
  ): Promise<Set<string>> {
    const ids = customers.map(({ id }) => id);
    const others = customers.filter(({ id, externalId }) => id !== externalId).map(({ id }) => id);
    const rows = await tx.execute(findTakenIds, [ids, projectId, others]);
    return new Set(rows.map(({ id }) => id));
  }

  /** Returns customer ids by email address, for the addresses that have a customer. */
  async findIdsByEmail(tx: Tx, projectId: string, emails: string[]): Promise<Map<string, string>> {
    const rows = await tx.execute(findIdsByEmail, [projectId, emails]);
    return new Map(rows.map(({ id, email }) => [email, id]));
  }

  /** Returns the project's next customers after the id `after`, sorted by id. */
  async listPage(
    projectId: string,
    after: string | null,
    limit: number,
  ): Promise<CustomerWithPasswordHash[]> {
    return this.database.execute(listCustomers, [projectId, after ?? NIL_UUID, limit]);
  }

  /**
   * Returns the size in bytes of the largest JSON object with these `publicMetadata` keys, among the newest 1,000
   * customers.
   */
  async measureMetadata(tx: Tx, projectId: string, keys: string[]): Promise<number> {
    const [row] = await tx.execute(measureMetadata, [projectId, keys]);
    return row!.bytes;
  }
}
