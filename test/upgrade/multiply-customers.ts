import type pg from 'pg';

/** Maximum number of rows in one statement. */
const ROWS_PER_STATEMENT = 100_000;

/**
 * Values in a copied row that differ from the original, as SQL over the original `o`, its customer `c`, and the
 * copy's number `k`.
 */
const CHANGED: Record<string, Record<string, string>> = {
  customers: {
    id: 'pg_temp.copy_id(o.id, k)',
    email: 'pg_temp.copy_email(o.email, k)',
    external_id: `o.external_id || '-' || k`,
  },
  customer_addresses: { customer_id: 'pg_temp.copy_id(o.customer_id, k)' },
  // Refresh tokens cannot be copied: they contain their session's id.
  sessions: {
    id: 'pg_temp.copy_id(o.id, k)',
    customer_id: 'pg_temp.copy_id(o.customer_id, k)',
    current_hash: 'sha256(o.current_hash || int4send(k))',
    previous_hash: 'sha256(o.previous_hash || int4send(k))',
  },
  one_time_tokens: {
    id: 'pg_temp.copy_id(o.id, k)',
    customer_id: 'pg_temp.copy_id(o.customer_id, k)',
    email: 'pg_temp.copy_email(o.email, k)',
    token_hash: 'sha256(o.token_hash || int4send(k))',
    group_id: 'pg_temp.copy_id(o.group_id, k)',
  },
  events: {
    id: 'pg_temp.copy_id(o.id, k)',
    customer_id: 'pg_temp.copy_id(o.customer_id, k)',
    body: `replace(replace(replace(o.body, o.id::text, pg_temp.copy_id(o.id, k)::text),
      c.id::text, pg_temp.copy_id(c.id, k)::text), c.email, pg_temp.copy_email(c.email, k))`,
  },
};

/** Deterministic functions for the copies' ids and email addresses. A copied id contains the original's time. */
const FUNCTIONS = `
  CREATE FUNCTION pg_temp.copy_id(id uuid, k integer) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
    SELECT (left(id::text, 15) || substr(h, 1, 3) || '-8' || substr(h, 4, 3) || '-' || substr(h, 7, 12))::uuid
    FROM md5(id::text || k) h
  $$;
  CREATE FUNCTION pg_temp.copy_email(email text, k integer) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT replace(email, '@', '+' || k || '@')
  $$`;

/**
 * Adds `times - 1` copies of every customer, with their sessions, known client IPs, one-time tokens and events. Copies
 * have the original's password. Deliveries, emails and the audit log are not copied.
 * @param report is called after every statement with the number of rows inserted into a table
 */
export async function multiplyCustomers(
  client: pg.Client,
  times: number,
  report: (table: string, rows: number) => void,
): Promise<void> {
  await client.query(FUNCTIONS);
  for (const table of Object.keys(CHANGED))
    await client.query(`CREATE TEMP TABLE o_${table} AS TABLE ${table}`);
  await client.query('CREATE UNIQUE INDEX ON o_customers (id); ANALYZE o_customers');
  for (const [table, changed] of Object.entries(CHANGED)) {
    const columns = await listColumns(client, table);
    const values = columns.map((column) => changed[column] ?? `o.${column}`);
    const owner = table === 'customers' ? 'id' : 'customer_id';
    const from = `o_${table} o JOIN o_customers c ON c.id = o.${owner}`;
    const { rows } = await client.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${from}`);
    const perStatement = Math.max(1, Math.floor(ROWS_PER_STATEMENT / Math.max(1, rows[0]!.count)));
    let inserted = 0;
    for (let first = 1; first < times; first += perStatement) {
      const last = Math.min(first + perStatement, times) - 1;
      const { rowCount } = await client.query(
        `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values.join(', ')}
         FROM generate_series(${first}, ${last}) k, ${from}`,
      );
      report(table, (inserted += rowCount ?? 0));
    }
  }
}

/** Returns a table's columns. Additional columns in a later version are copied unchanged. */
async function listColumns(client: pg.Client, table: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT attname AS name FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum`,
    [`public.${table}`],
  );
  return rows.map(({ name }) => name);
}
