import { Conditions } from '../conditions.js';
import { ofTheHouse } from '../customers/customer-directory.repository.js';
import type { Database } from '../database.js';

/** Customers of one address that are looked for: it can be in as many projects. */
const MOST_CUSTOMERS = 100;

/** Endpoints whose part of a list is walked one by one; of more, the whole list is. */
const MOST_ENDPOINTS = 100;

/** How much of a URL its index holds. */
const INDEXED_URL = 256;

/** SQL for the endpoints whose URL begins with a text. @param table their alias */
export function urlBeginsWith(where: Conditions, start: string, table = 'w'): string {
  const text = `${where.value(start)}::text`;
  const lowest = `left(${text}, ${INDEXED_URL})`;
  const indexed = `(left(${table}.url, ${INDEXED_URL}) COLLATE "C")`;
  return `${indexed} >= ${lowest} AND ${indexed} < ${lowest} || chr(1114111) AND starts_with(${table}.url, ${text})`;
}

/** Finds in the whole house what somebody names by something else than its id. */
export class LookupsRepository {
  constructor(private readonly database: Database) {}

  /** The customers that have exactly this address, in whatever project. */
  async customersWith(email: string): Promise<string[]> {
    return this.idsOf(
      `SELECT c.id FROM customers c WHERE (c.email COLLATE "C") = $1 AND ${ofTheHouse} LIMIT ${MOST_CUSTOMERS}`,
      [email],
    );
  }

  /** The endpoints, also deleted ones, whose URL begins with a text; null when they are too many to be named. */
  async endpointsAt(start: string): Promise<string[] | null> {
    const where = new Conditions();
    const ids = await this.idsOf(
      `SELECT w.id FROM webhook_endpoints w WHERE ${urlBeginsWith(where, start)} LIMIT ${MOST_ENDPOINTS + 1}`,
      where.values,
    );
    return ids.length > MOST_ENDPOINTS ? null : ids;
  }

  /** The delivery that an attempt is of. */
  async deliveryOf(attemptId: string): Promise<string | null> {
    const [id] = await this.idsOf('SELECT delivery_id AS id FROM attempts WHERE id = $1', [attemptId]);
    return id ?? null;
  }

  /** The event that a delivery brings. */
  async eventOf(deliveryId: string): Promise<string | null> {
    const [id] = await this.idsOf('SELECT event_id AS id FROM deliveries WHERE id = $1', [deliveryId]);
    return id ?? null;
  }

  private async idsOf(sql: string, values: unknown[]): Promise<string[]> {
    return (await this.database.query<{ id: string }>(sql, values)).map(({ id }) => id);
  }
}
