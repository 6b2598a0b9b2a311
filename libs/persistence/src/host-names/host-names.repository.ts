// Raw SQL: bounded scans over any table.
import type { Database } from '../database/database.js';
import { arrayOf, dynamicStatement, nullable, text, uuid, type RowOf } from '../sql/statements.js';
import { NIL_UUID } from '../sql/uuid-v7.js';

/** Number of rows that one statement scans, to stay within its timeout. */
const BATCH_SIZE = 10_000;

/** A column with host names. Names and expressions are SQL from code, never from input. */
export interface HostColumn {
  /** Singular term for a row. */
  subject: string;
  table: string;
  /** The primary key's first column. */
  key: string;
  /** SQL for a row's strings that contain host names: email addresses, origins and URLs. */
  values: string;
}

/** The project settings that contain host names. */
const settingPaths = [
  ...['allowedOrigins[*]', 'redirectUrls[*]', 'passkeys.rpId', 'passkeys.origins[*]', 'mail.replyTo'],
  ...['verifyEmailUrl', 'resetPasswordUrl', 'acceptInviteUrl', 'legacySignIn.url', 'branding.logoUrl'],
];

const settingValues = `ARRAY(SELECT setting #>> '{}'
  FROM unnest('{${settingPaths.map((path) => `$.${path}`).join(',')}}'::jsonpath[]) AS path,
    jsonb_path_query(t.settings, path) AS setting)`;

/** The columns that identify customers and operators, or that determine where browsers and requests are sent. */
export const hostColumns: HostColumn[] = [
  { subject: 'customer', table: 'customers', key: 'id', values: 'ARRAY[t.email]' },
  { subject: 'operator', table: 'operators', key: 'id', values: 'ARRAY[t.email]' },
  { subject: 'identity provider', table: 'identity_providers', key: 'id', values: 'ARRAY[t.issuer]' },
  {
    subject: 'identity provider',
    table: 'identity_provider_domains',
    key: 'provider_id',
    values: 'ARRAY[t.domain]',
  },
  { subject: 'project', table: 'projects', key: 'id', values: settingValues },
  { subject: 'organization', table: 'organizations', key: 'id', values: 't.billing_return_origins' },
  { subject: 'webhook endpoint', table: 'webhook_endpoints', key: 'id', values: 'ARRAY[t.url]' },
];

const scannedRow = {
  /** Each string's key, in the same order. */
  keys: arrayOf(text),
  texts: arrayOf(text),
  /** A full batch's last key. */
  last: nullable(uuid),
};

/** Keeps rows with the same first key column in one batch. */
const scanTexts = dynamicStatement(
  scannedRow,
  ({ table, key, values }: HostColumn, after: string) => ({
    text: `
      WITH scanned AS MATERIALIZED (
        SELECT t.${key} AS key, ${values} AS texts FROM ${table} t WHERE t.${key} > $1
        ORDER BY t.${key} FETCH FIRST ${BATCH_SIZE} ROWS WITH TIES
      ), found AS (
        SELECT s.key, value FROM scanned s, unnest(s.texts) AS value
        WHERE value ILIKE '%xn--%' OR octet_length(value) > char_length(value)
      )
      SELECT ARRAY(SELECT key::text FROM found ORDER BY key, value) AS keys,
        ARRAY(SELECT value FROM found ORDER BY key, value) AS texts,
        CASE WHEN (SELECT count(*) FROM scanned) >= ${BATCH_SIZE}
          THEN (SELECT key FROM scanned ORDER BY key DESC LIMIT 1) END AS last`,
    values: [after],
  }),
  hostColumns.map((column) => [column, NIL_UUID] as const),
);

/** A stored string that contains a non-ASCII character, or a label that encodes one. */
export interface StoredHost {
  key: string;
  text: string;
}

/** Reads stored host names, for all tenants. */
export class HostNamesRepository {
  constructor(private readonly database: Database) {}

  /** Reads, in batches, the strings in a column whose ASCII form depends on Unicode tables. */
  async *readEncoded(column: HostColumn): AsyncGenerator<StoredHost[]> {
    let after: string | null = NIL_UUID;
    while (after !== null) {
      const [row]: RowOf<typeof scannedRow>[] = await this.database.execute(scanTexts(column, after));
      yield row!.texts.map((found, index) => ({ key: row!.keys[index]!, text: found }));
      after = row!.last;
    }
  }
}
