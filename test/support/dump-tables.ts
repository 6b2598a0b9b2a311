import type { TestInstance } from './test-instance.js';

/** Every row of the tables, all of them by default, as PostgreSQL writes it: bytes are in hexadecimal. */
export async function dumpTables(
  instance: TestInstance,
  isWanted = (_table: string) => true,
): Promise<string> {
  const tables = await instance.sql<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
  );
  const wanted = tables.filter(({ name }) => isWanted(name));
  const rows = await Promise.all(
    wanted.map(({ name }) => instance.sql<{ line: string }>(`SELECT t::text AS line FROM "${name}" t`)),
  );
  return rows
    .flat()
    .map(({ line }) => line)
    .join('\n');
}

/** A secret in the forms in which it could lie or be written somewhere. */
export function listEncodings(secret: string | Buffer): string[] {
  const text = typeof secret === 'string' ? [Buffer.from(secret)] : [];
  // Keys and tokens are texts that stand for bytes.
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
