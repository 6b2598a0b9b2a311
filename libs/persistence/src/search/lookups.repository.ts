// This file contains SQL: index conditions on a prefix or a collation, and reads of attempts and deliveries.
import { Conditions } from '../conditions.js';
import { anyCustomerCondition } from '../customers/customer-scan.js';
import type { Database } from '../database.js';
import { dynamicStatement, statement, uuid } from '../statements.js';
import { NIL_UUID } from '../uuid-v7.js';

/** Maximum number of customers that are found by one email address, each in a project of its own. */
const MAX_CUSTOMERS = 100;

/**
 * Maximum number of endpoints whose parts of a list are scanned one by one. With more, the complete list is
 * scanned.
 */
const MAX_ENDPOINTS = 100;

/** Number of characters of a URL in its index. */
const INDEXED_URL_LENGTH = 256;

/** Returns SQL for whether the URL of an endpoint begins with a text. @param table alias of the endpoints */
export function urlPrefixCondition(where: Conditions, prefix: string, table = 'w'): string {
  const text = `${where.bind(prefix)}::text`;
  const start = `left(${text}, ${INDEXED_URL_LENGTH})`;
  const indexed = `(left(${table}.url, ${INDEXED_URL_LENGTH}) COLLATE "C")`;
  return `${indexed} >= ${start} AND ${indexed} < ${start} || chr(1114111) AND starts_with(${table}.url, ${text})`;
}

const findCustomersByEmail = dynamicStatement(
  { id: uuid },
  (email: string) => ({
    text: `SELECT c.id FROM customers c WHERE (c.email COLLATE "C") = $1 AND ${anyCustomerCondition} LIMIT ${MAX_CUSTOMERS}`,
    values: [email],
  }),
  [['ada@example.com']],
);

/** Returns SQL for whether the name of an endpoint `w` contains a text, or its default, the host, begins with it. */
export function endpointNameCondition(where: Conditions, text: string): string {
  const isNamed = `strpos(lower(w.name), lower(${where.bind(text)}::text)) > 0`;
  const hosts = ['https', 'http'].map((scheme) => urlPrefixCondition(where, `${scheme}://${text}`));
  return `(CASE WHEN w.name IS NULL THEN ${hosts.join(' OR ')} ELSE ${isNamed} END)`;
}

type EndpointCondition = (where: Conditions, text: string) => string;

const findEndpoints = dynamicStatement(
  { id: uuid },
  (condition: EndpointCondition, text: string) => {
    const where = new Conditions();
    const sql = `SELECT w.id FROM webhook_endpoints w WHERE ${condition(where, text)} LIMIT ${MAX_ENDPOINTS + 1}`;
    return { text: sql, values: where.values };
  },
  [
    [urlPrefixCondition, 'https://'],
    [endpointNameCondition, 'example'],
  ],
);

/** Not prepared: the partition to scan depends on the id. */
const findAttempt = dynamicStatement(
  { deliveryId: uuid },
  (attemptId: string) => ({
    text: 'SELECT delivery_id AS "deliveryId" FROM attempts WHERE id = $1',
    values: [attemptId],
  }),
  [[NIL_UUID]],
);

const findDelivery = statement(
  { eventId: uuid },
  'SELECT event_id AS "eventId" FROM deliveries WHERE id = $1',
);

/** Finds resources of the complete installation by something other than their id. */
export class LookupsRepository {
  constructor(private readonly database: Database) {}

  /** Returns the customers with exactly this email address, in all projects. */
  async findCustomerIdsByEmail(email: string): Promise<string[]> {
    const customers = await this.database.execute(findCustomersByEmail(email));
    return customers.map(({ id }) => id);
  }

  /**
   * Returns the endpoints, including deleted ones, whose URL begins with a text; null if there are too many
   * to list.
   */
  findEndpointIdsByUrl(prefix: string): Promise<string[] | null> {
    return this.findEndpointIds(urlPrefixCondition, prefix);
  }

  /**
   * Returns the endpoints, including deleted ones, whose name contains a text, or whose host begins with it if
   * they have no name; null if there are too many to list.
   */
  findEndpointIdsByName(text: string): Promise<string[] | null> {
    return this.findEndpointIds(endpointNameCondition, text);
  }

  /** Returns the delivery of an attempt, or null. */
  async findDeliveryIdOfAttempt(attemptId: string): Promise<string | null> {
    const [attempt] = await this.database.execute(findAttempt(attemptId));
    return attempt?.deliveryId ?? null;
  }

  /** Returns the event of a delivery, or null. */
  async findEventIdOfDelivery(deliveryId: string): Promise<string | null> {
    const [delivery] = await this.database.execute(findDelivery, [deliveryId]);
    return delivery?.eventId ?? null;
  }

  private async findEndpointIds(condition: EndpointCondition, text: string): Promise<string[] | null> {
    const endpoints = await this.database.execute(findEndpoints(condition, text));
    return endpoints.length > MAX_ENDPOINTS ? null : endpoints.map(({ id }) => id);
  }
}
