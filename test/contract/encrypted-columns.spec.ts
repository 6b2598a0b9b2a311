import { encryptedColumns } from '@gatehouse/persistence';
import { TestInstance } from '../support/test-instance.js';

/**
 * Binary columns that are not encrypted: hashes, MACs and public keys. Encrypted columns belong in `encryptedColumns`.
 */
const UNENCRYPTED = [
  'api_keys.key_hash',
  'challenges.flow_hash',
  'challenges.token_hash',
  'email_code_attempts.email_hash',
  'email_codes.code_hash',
  'email_codes.flow_hash',
  'email_codes.link_hash',
  'email_codes.token_hash',
  'idempotency_keys.fingerprint',
  'idempotency_keys.key_hash',
  'imports.lines_mac',
  'login_attempts.email_hash',
  'oauth_flows.browser_hash',
  'oauth_flows.state_hash',
  'one_time_tokens.token_hash',
  'operator_flows.state_hash',
  'operator_links.token_hash',
  'operator_login_attempts.email_hash',
  'operator_passkeys.credential_id',
  'operator_passkeys.public_key',
  'operator_sessions.passkey_challenge',
  'operator_sessions.token_hash',
  'operators.recovery_codes',
  'passkey_ceremonies.binding_hash',
  'passkey_ceremonies.challenge_hash',
  'passkeys.credential_id',
  'passkeys.public_key',
  'passkeys.user_handle',
  'recovery_codes.code_hash',
  'reauthentication_codes.code_hash',
  'sessions.current_hash',
  'sessions.previous_hash',
  'sign_in_exchanges.code_hash',
  'sign_in_flows.browser_hash',
  'sign_in_flows.secret_hash',
  'sign_in_tokens.token_hash',
  'used_id_tokens.token_hash',
];

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.startShared({ workers: 0 })));
afterAll(() => instance?.stop());

describe('the list of encrypted columns', () => {
  it('contains every secret binary column', async () => {
    const rows = await instance.sql<{ name: string }>(
      `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
       WHERE table_schema = 'public' AND 'bytea' IN (data_type, ltrim(udt_name, '_'))`,
    );
    const encrypted = encryptedColumns.filter(({ prefix }) => prefix === undefined);
    expect(rows.map(({ name }) => name).sort()).toEqual(
      [...UNENCRYPTED, ...encrypted.map(({ table, column }) => `${table}.${column}`)].sort(),
    );
  });

  it('contains the complete primary key of each table', async () => {
    const rows = await instance.sql<{ table: string; key: Record<string, string> }>(
      `SELECT i.indrelid::regclass::text AS table, json_object_agg(a.attname, format_type(a.atttypid, NULL)) AS key
       FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
       WHERE i.indisprimary GROUP BY 1`,
    );
    const keys = Object.fromEntries(rows.map(({ table, key }) => [table, key]));
    for (const { table, key } of encryptedColumns) expect([table, key]).toEqual([table, keys[table]]);
  });
});
