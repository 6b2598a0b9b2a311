import { Conditions } from '../conditions.js';
import { anyCustomerCondition } from '../customers/customer-scan.js';
import type { Database } from '../database.js';

/** Maximum number of customers that are found by one address, which can be in as many projects. */
const MAX_CUSTOMERS = 100;

/**
 * Maximum number of endpoints whose parts of a list are scanned one by one. With more, the complete list is
 * scanned.
 */
const MAX_ENDPOINTS = 100;

/** Number of characters of a URL in its index. */
const INDEXED_URL_LENGTH = 256;

/** Returns SQL for the endpoints whose URL begins with a text. @param table their alias */
export function urlPrefixCondition(where: Conditions, start: string, table = 'w'): string {
  const text = `${where.bind(start)}::text`;
  const prefix = `left(${text}, ${INDEXED_URL_LENGTH})`;
  const indexed = `(left(${table}.url, ${INDEXED_URL_LENGTH}) COLLATE "C")`;
  return `${indexed} >= ${prefix} AND ${indexed} < ${prefix} || chr(1114111) AND starts_with(${table}.url, ${text})`;
}

/** Finds resources of the complete installation by something other than their id. */
export class LookupsRepository {
  constructor(private readonly database: Database) {}

  /** Returns the customers with exactly this address, in all projects. */
  async findCustomerIdsByEmail(email: string): Promise<string[]> {
    return this.queryIds(
      `SELECT c.id FROM customers c WHERE (c.email COLLATE "C") = $1 AND ${anyCustomerCondition} LIMIT ${MAX_CUSTOMERS}`,
      [email],
    );
  }

  /**
   * Returns the endpoints, including deleted ones, whose URL begins with a text; null if there are too many
   * to list.
   */
  async findEndpointIdsByUrl(start: string): Promise<string[] | null> {
    const where = new Conditions();
    const ids = await this.queryIds(
      `SELECT w.id FROM webhook_endpoints w WHERE ${urlPrefixCondition(where, start)} LIMIT ${MAX_ENDPOINTS + 1}`,
      where.values,
    );
    return ids.length > MAX_ENDPOINTS ? null : ids;
  }

  /** Returns the delivery of an attempt, or null. */
  async findDeliveryIdOfAttempt(attemptId: string): Promise<string | null> {
    const [id] = await this.queryIds('SELECT delivery_id AS id FROM attempts WHERE id = $1', [attemptId]);
    return id ?? null;
  }

  /** Returns the event of a delivery, or null. */
  async findEventIdOfDelivery(deliveryId: string): Promise<string | null> {
    const [id] = await this.queryIds('SELECT event_id AS id FROM deliveries WHERE id = $1', [deliveryId]);
    return id ?? null;
  }

  private async queryIds(sql: string, values: unknown[]): Promise<string[]> {
    return (await this.database.query<{ id: string }>(sql, values)).map(({ id }) => id);
  }
}
