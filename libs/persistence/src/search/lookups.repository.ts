import { Conditions } from '../conditions.js';
import { anyCustomerCondition } from '../customers/customer-directory.repository.js';
import type { Database } from '../database.js';

/** Customers of one address that are looked for: it can be in as many projects. */
const MAX_CUSTOMERS = 100;

/** Endpoints whose part of a list is walked one by one; of more, the whole list is. */
const MAX_ENDPOINTS = 100;

/** How much of a URL its index holds. */
const INDEXED_URL_LENGTH = 256;

/** SQL for the endpoints whose URL begins with a text. @param table their alias */
export function urlPrefixCondition(where: Conditions, start: string, table = 'w'): string {
  const text = `${where.bind(start)}::text`;
  const lowest = `left(${text}, ${INDEXED_URL_LENGTH})`;
  const indexed = `(left(${table}.url, ${INDEXED_URL_LENGTH}) COLLATE "C")`;
  return `${indexed} >= ${lowest} AND ${indexed} < ${lowest} || chr(1114111) AND starts_with(${table}.url, ${text})`;
}

/** Finds in the whole house what somebody names by something else than its id. */
export class LookupsRepository {
  constructor(private readonly database: Database) {}

  /** The customers that have exactly this address, in whatever project. */
  async findCustomerIdsByEmail(email: string): Promise<string[]> {
    return this.queryIds(
      `SELECT c.id FROM customers c WHERE (c.email COLLATE "C") = $1 AND ${anyCustomerCondition} LIMIT ${MAX_CUSTOMERS}`,
      [email],
    );
  }

  /** The endpoints, also deleted ones, whose URL begins with a text; null when they are too many to be named. */
  async findEndpointIdsByUrl(start: string): Promise<string[] | null> {
    const where = new Conditions();
    const ids = await this.queryIds(
      `SELECT w.id FROM webhook_endpoints w WHERE ${urlPrefixCondition(where, start)} LIMIT ${MAX_ENDPOINTS + 1}`,
      where.values,
    );
    return ids.length > MAX_ENDPOINTS ? null : ids;
  }

  /** The delivery that an attempt is of. */
  async findDeliveryIdOfAttempt(attemptId: string): Promise<string | null> {
    const [id] = await this.queryIds('SELECT delivery_id AS id FROM attempts WHERE id = $1', [attemptId]);
    return id ?? null;
  }

  /** The event that a delivery brings. */
  async findEventIdOfDelivery(deliveryId: string): Promise<string | null> {
    const [id] = await this.queryIds('SELECT event_id AS id FROM deliveries WHERE id = $1', [deliveryId]);
    return id ?? null;
  }

  private async queryIds(sql: string, values: unknown[]): Promise<string[]> {
    return (await this.database.query<{ id: string }>(sql, values)).map(({ id }) => id);
  }
}
