import type { EncryptionPurpose, StoredPurpose } from '@gatehouse/platform';

/** A table with its primary key. Names and expressions are SQL from code, never from input. */
export interface KeyedTable {
  table: string;
  /** The primary key column types, in column order. */
  key: Readonly<Record<string, 'bytea' | 'text' | 'uuid'>>;
}

/** A column whose values can only be read with the GATEHOUSE_SECRET entry that they were created with. */
export interface SecretColumn extends KeyedTable {
  purpose: StoredPurpose;
  column: string;
  /** SQL for the context that a value was encrypted with. */
  context: string;
  /**
   * For a text column, the prefix of values that depend on an entry. It precedes the base64 data or the pepper's id.
   * Undefined for a bytea column.
   */
  prefix?: string;
}

/** A column that contains encrypted values. */
export interface EncryptedColumn extends SecretColumn {
  purpose: EncryptionPurpose;
}

type ColumnOfPurpose = Omit<EncryptedColumn, 'purpose'>;

const inEndpoints = (column: string): ColumnOfPurpose => ({
  table: 'webhook_endpoints',
  key: { id: 'uuid' },
  column,
  context: 'id',
});

const inProviders = (column: string): ColumnOfPurpose => ({
  table: 'identity_providers',
  key: { id: 'uuid' },
  column,
  context: 'id',
});

/** A column whose values are copied to other columns comes before them, so that no copy of an old value is missed. */
const columnsByPurpose: Record<EncryptionPurpose, ColumnOfPurpose[]> = {
  'signing-key': [
    { table: 'signing_keys', key: { kid: 'text' }, column: 'private_key', context: 'kid' },
    { table: 'signing_keys', key: { kid: 'text' }, column: 'rsa_private_key', context: `kid || '-rsa'` },
  ],
  'webhook-secret': [
    inEndpoints('secret'),
    inEndpoints('previous_secret'),
    { table: 'webhook_replays', key: { id: 'uuid' }, column: 'secret', context: 'id' },
  ],
  'identity-provider-secret': [inProviders('client_secret'), inProviders('private_key')],
  'identity-provider-settings': [inProviders('settings')],
  'identity-flow-state': [
    {
      table: 'oauth_flows',
      key: { state_hash: 'bytea' },
      column: 'flow_state',
      context: `encode(state_hash, 'hex')`,
    },
  ],
  'legacy-sign-in-secret': [
    { table: 'projects', key: { id: 'uuid' }, column: 'legacy_sign_in_secret', context: 'id' },
  ],
  'webhook-headers': [inEndpoints('headers')],
  'totp-secret': [
    {
      table: 'operator_sessions',
      key: { id: 'uuid' },
      column: 'new_totp_secret',
      context: 'operator_id',
    },
    { table: 'operators', key: { id: 'uuid' }, column: 'totp_secret', context: 'id' },
    {
      table: 'challenges',
      key: { token_hash: 'bytea' },
      column: 'totp_secret',
      context: 'customer_id',
    },
    { table: 'totp_factors', key: { id: 'uuid' }, column: 'secret', context: 'customer_id' },
  ],
  'imported-password': [
    { table: 'customers', key: { id: 'uuid' }, column: 'password_hash', context: `'i1'`, prefix: 'i1$' },
  ],
  'mail-parameters': [{ table: 'mails', key: { id: 'uuid' }, column: 'parameters', context: 'id' }],
  'idempotent-answer': [
    {
      table: 'idempotency_keys',
      key: { project_id: 'uuid', route: 'text', key_hash: 'bytea' },
      column: 'answer',
      context: 'claim',
    },
  ],
};

/** Every database column that contains `Keyring.encrypt` values. */
export const encryptedColumns: EncryptedColumn[] = Object.entries(columnsByPurpose).flatMap(
  ([purpose, columns]) => columns.map((column) => ({ ...column, purpose: purpose as EncryptionPurpose })),
);

/** The columns with password hashes. Without the password, a hash cannot be moved to another entry's pepper. */
export const pepperedColumns: SecretColumn[] = ['customers', 'operators'].map((table) => ({
  table,
  key: { id: 'uuid' },
  column: 'password_hash',
  context: 'id',
  purpose: 'password-pepper',
  prefix: 'v1$',
}));
