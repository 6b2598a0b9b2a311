import type { Database } from '../database.js';

/** Who can have done something, as it stands beside what they did: `key:<id>`, `operator:<id>`, `customer:<id>`. */
export interface ActorName {
  type: 'key' | 'operator' | 'customer';
  id: string;
  /** Of a key its name, of the others their address. */
  name: string;
}

/** What those who acted are called. */
export class ActorsRepository {
  constructor(private readonly database: Database) {}

  /** The names of those of any kind who have these ids; who is gone has none. */
  async named(ids: string[]): Promise<ActorName[]> {
    if (ids.length === 0) return [];
    return this.database.prepared<ActorName>(
      `SELECT 'key' AS type, id, name FROM api_keys WHERE id = ANY ($1::uuid[])
       UNION ALL SELECT 'operator', id, email FROM operators WHERE id = ANY ($1::uuid[])
       UNION ALL SELECT 'customer', id, email FROM customers WHERE id = ANY ($1::uuid[])`,
      [ids],
    );
  }
}
