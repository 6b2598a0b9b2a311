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
   * For a text column, the prefix of values that can only be read with a GATEHOUSE_SECRET entry. The base64 data or
   * the pepper id follows it. Undefined for a bytea column.
   */
  prefix?: string;
}

/** A column that contains encrypted values. */
export interface EncryptedColumn extends SecretColumn {
  purpose: EncryptionPurpose;
}

type PurposeColumn = Omit<EncryptedColumn, 'purpose'>;

const endpointColumn = (column: string): PurposeColumn => ({
  table: 'webhook_endpoints',
  key: { id: 'uuid' },
  column,
  context: 'id',
});

const providerColumn = (column: string): PurposeColumn => ({
  table: 'identity_providers',
  key: { id: 'uuid' },
  column,
  context: 'id',
});

/**
 * Re-encryption processes the columns in this order. If values are copied from one column to another, such as from
 * `secret` to `previous_secret`, the source column must come first. Otherwise, an old value could be copied to a
 * column that has already been processed.
 */
const columnsByPurpose: Record<EncryptionPurpose, PurposeColumn[]> = {
  'signing-key': [
    { table: 'signing_keys', key: { kid: 'text' }, column: 'private_key', context: 'kid' },
    { table: 'signing_keys', key: { kid: 'text' }, column: 'rsa_private_key', context: `kid || '-rsa'` },
  ],
  'webhook-secret': [
    endpointColumn('secret'),
    endpointColumn('previous_secret'),
    { table: 'webhook_replays', key: { id: 'uuid' }, column: 'secret', context: 'id' },
  ],
  'identity-provider-secret': [providerColumn('client_secret'), providerColumn('private_key')],
  'identity-provider-settings': [providerColumn('settings')],
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
  'webhook-headers': [endpointColumn('headers')],
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
