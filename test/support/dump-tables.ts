import type { TestInstance } from './test-instance.js';

/** Returns every row of the tables in PostgreSQL's text format, with bytes in hexadecimal. Default: all tables. */
export async function dumpTables(
  instance: TestInstance,
  isIncluded = (_table: string) => true,
): Promise<string> {
  const tables = await instance.sql<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
  );
  const included = tables.filter(({ name }) => isIncluded(name));
  const rows = await Promise.all(
    included.map(({ name }) => instance.sql<{ line: string }>(`SELECT t::text AS line FROM "${name}" t`)),
  );
  return rows
    .flat()
    .map(({ line }) => line)
    .join('\n');
}

/** Returns the encodings in which a secret could be stored or logged. */
export function listEncodings(secret: string | Buffer): string[] {
  const text = typeof secret === 'string' ? [Buffer.from(secret)] : [];
  // Keys and tokens are encoded bytes.
  const bytes = typeof secret === 'string' ? Buffer.from(secret.replace(/^\w+_/, ''), 'base64url') : secret;
  const buffers = [...text, ...(bytes.length >= 16 ? [bytes] : [])];
  return [
    ...(typeof secret === 'string'
      ? [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]
      : []),
    ...buffers.flatMap((buffer) =>
      (['hex', 'base64', 'base64url'] as const).map((form) => buffer.toString(form)),
    ),
  ].map((form) => form.replace(/=+$/, ''));
}
