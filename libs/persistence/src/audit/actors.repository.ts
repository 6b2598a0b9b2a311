// This file contains SQL: a union of tables.
import type { Database } from '../database.js';
import { statement, text, textOf, uuid } from '../statements.js';

/** An actor as the audit log refers to it: `key:<id>`, `operator:<id>`, `customer:<id>`. */
export interface ActorName {
  type: 'key' | 'operator' | 'customer';
  id: string;
  /** Name of a key; email address of an operator or a customer. */
  name: string;
}

const findActors = statement(
  { type: textOf<ActorName['type']>(), id: uuid, name: text },
  `SELECT 'key' AS type, id, name FROM api_keys WHERE id = ANY ($1::uuid[])
   UNION ALL SELECT 'operator', id, email FROM operators WHERE id = ANY ($1::uuid[])
   UNION ALL SELECT 'customer', id, email FROM customers WHERE id = ANY ($1::uuid[])`,
);

/** The names of actors in the audit log. */
export class ActorsRepository {
  constructor(private readonly database: Database) {}

  /** Returns the names of the actors with these ids, of any type. Deleted actors are not included. */
  async findNames(ids: string[]): Promise<ActorName[]> {
    if (ids.length === 0) return [];
    return this.database.execute(findActors, [ids]);
  }
}
