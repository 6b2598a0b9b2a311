import type { JsonObject } from '../../json-object.js';
import {
  addEntry,
  convertIdentities,
  type Differences,
  hasEntries,
  toJson,
  NO_DISABLED_TIME,
  NO_IMAGE,
  NO_MFA_REQUIREMENT,
  NO_TIME,
} from '../differences.js';
import { argon2Text, convertPassword, pbkdf2Text, type PortableHash } from '../portable-hash.js';
import type { ExportedCustomer, ExportTarget, Reason, TargetOptions } from '../target.js';

/** The only schema in an installation without custom schemas. */
const DEFAULT_SCHEMA = 'default';

/** The Kratos limits for hash parameters (hash/hash_limits.go). */
const MAX = {
  argon2: { memory: 2 ** 20, passes: 10, lanes: 16 },
  scrypt: { ln: 17, r: 8, p: 10 },
  iterations: 1e7,
};

const NEW_ID: Reason = {
  reason: 'Kratos generates identity ids itself: the id in Gatehouse becomes gatehouse_id in metadata_admin',
  remedy: 'Find the identity by its external_id',
};
const AS_EXTERNAL_ID: Reason = {
  reason: 'Kratos generates identity ids itself: the id in Gatehouse becomes the external_id',
  remedy: 'Find the identity by its external_id',
};
const IN_PUBLIC_METADATA: Reason = {
  reason: 'The default identity schema has no language: the value becomes locale in metadata_public',
  remedy: 'Read metadata_public.locale in your application',
};
const OTHER_HANDLE: Reason = {
  reason: 'A Kratos identity has only one user handle, but this passkey contains a different one',
  remedy: 'Ask the customer to sign in with another method and add a passkey',
};
const NO_LAST_USE: Reason = {
  reason: 'Kratos does not store the time at which a passkey was last used',
  remedy: 'Nothing: the passkey works without it',
};

/**
 * Writes request bodies for `PATCH /admin/identities`, which creates up to 1,000 identities
 * (https://www.ory.com/docs/kratos/manage-identities/import-user-accounts-identities). The traits match the quick
 * start's identity schema (contrib/quickstart/kratos/email-password/identity.schema.json).
 */
export const kratos: ExportTarget = {
  name: 'kratos',
  description:
    'identities-0001.json and further bodies of PATCH /admin/identities, with 1,000 identities each',
  files: [
    {
      name: 'identities-#.json',
      ...{ head: '{"identities":[\n', separator: ',\n', tail: '\n]}\n' },
      maxRecords: 1_000,
    },
  ],
  // The Kratos configuration determines the provider ids. These are the usual ones.
  providers: {
    ...{ google: 'google', github: 'github', apple: 'apple', microsoft: 'microsoft' },
    ...{ discord: 'discord', gitlab: 'gitlab' },
  },
  options: [
    { flags: '--schema-id <id>', description: 'id of the identity schema. Default: default' },
    { flags: '--issuer <name>', description: 'name that authenticator apps show. Default: Gatehouse' },
  ],
  convert: toJson((customer, options, differences) => ({
    patch_id: customer.id,
    create: toIdentity(customer, options, differences),
  })),
};

function toIdentity(
  customer: ExportedCustomer,
  options: TargetOptions,
  differences: Differences,
): JsonObject {
  const { id, email, externalId, firstName, lastName } = customer;
  differences.leaveOutIfSet(customer, {
    ...{ createdAt: NO_TIME, updatedAt: NO_TIME, lastLoginAt: NO_TIME },
    ...{ mfa: NO_MFA_REQUIREMENT, imageUrl: NO_IMAGE },
  });
  if (customer.disabledAt) differences.change('disabledAt', NO_DISABLED_TIME);
  const name = { ...(firstName && { first: firstName }), ...(lastName && { last: lastName }) };
  const [adminMetadata, publicMetadata] = toMetadata(customer, differences);
  const address = { value: email, via: 'email', verified: true, status: 'completed' };
  return {
    schema_id: options.values['schemaId'] ?? DEFAULT_SCHEMA,
    external_id: externalId ?? id,
    state: customer.disabledAt ? 'inactive' : 'active',
    traits: { email, ...(hasEntries(name) && { name }) },
    ...(customer.emailVerified && { verifiable_addresses: [address] }),
    ...(hasEntries(adminMetadata) && { metadata_admin: adminMetadata }),
    ...(hasEntries(publicMetadata) && { metadata_public: publicMetadata }),
    credentials: toCredentials(customer, options, differences),
  };
}

/** Returns `metadata_admin` and `metadata_public`. */
function toMetadata(customer: ExportedCustomer, differences: Differences): [JsonObject, JsonObject] {
  const { id, externalId, locale } = customer;
  const [metadata, publicMetadata] = [{ ...customer.metadata }, { ...customer.publicMetadata }];
  if (externalId === null) differences.change('id', AS_EXTERNAL_ID);
  else if (externalId !== id)
    addEntry(metadata, 'gatehouse_id', { field: 'id', value: id, change: NEW_ID }, differences);
  addEntry(
    publicMetadata,
    'locale',
    { field: 'locale', value: locale, change: IN_PUBLIC_METADATA },
    differences,
  );
  return [metadata, publicMetadata];
}

function toCredentials(
  customer: ExportedCustomer,
  options: TargetOptions,
  differences: Differences,
): JsonObject {
  const hash = convertPassword(customer, differences, toHash);
  const providers = convertIdentities(customer, options, differences);
  const passkey = toPasskeys(customer, differences);
  const { email, totpSecret } = customer;
  return {
    ...(hash && { password: { config: { hashed_password: hash } } }),
    ...(providers.length > 0 && { oidc: { config: { providers } } }),
    ...(totpSecret && {
      totp: { config: { totp_url: toTotpUrl(options.values['issuer'] ?? 'Gatehouse', email, totpSecret) } },
    }),
    ...(passkey && { passkey: { config: passkey } }),
  };
}

/** Source: https://github.com/google/google-authenticator/wiki/Key-Uri-Format */
function toTotpUrl(issuer: string, email: string, secret: string): string {
  const [name, account] = [issuer, email].map(encodeURIComponent);
  return `otpauth://totp/${name}:${account}?secret=${secret}&issuer=${name}&algorithm=SHA1&digits=6&period=30`;
}

/**
 * Returns the hash in the Kratos format, in which scrypt hashes contain padded base64, and the cost itself instead of
 * its logarithm.
 */
function toHash(hash: PortableHash): string | null {
  switch (hash.scheme) {
    case 'bcrypt':
      return hash.text;
    case 'argon2': {
      const { memory, passes, lanes } = MAX.argon2;
      return hash.memory <= memory && hash.passes <= passes && hash.lanes <= lanes ? argon2Text(hash) : null;
    }
    case 'pbkdf2':
      return hash.iterations <= MAX.iterations ? pbkdf2Text(hash) : null;
    case 'scrypt': {
      const { ln, r, p, salt, hash: bytes } = hash;
      if (ln > MAX.scrypt.ln || r > MAX.scrypt.r || p > MAX.scrypt.p) return null;
      return `$scrypt$ln=${2 ** ln},r=${r},p=${p}$${salt.toString('base64')}$${bytes.toString('base64')}`;
    }
    case 'fbscrypt':
      if (hash.n > MAX.scrypt.ln || hash.r > MAX.scrypt.r || hash.p > MAX.scrypt.p) return null;
      return `$firescrypt$ln=${hash.n},r=${hash.r},p=${hash.p}$${hash.salt}$${hash.hash}$${hash.separator}$${hash.key}`;
  }
}

/** Returns the passkeys that have the same user handle as the first one, or null if there are none. */
function toPasskeys({ passkeys }: ExportedCustomer, differences: Differences): JsonObject | null {
  const [first] = passkeys ?? [];
  if (!passkeys || !first) return null;
  const usable = passkeys.filter(({ userHandle }) => userHandle === first.userHandle);
  if (usable.length < passkeys.length) differences.leaveOut('passkeys', OTHER_HANDLE);
  if (usable.some(({ lastUsedAt }) => lastUsedAt)) differences.change('passkeys', NO_LAST_USE);
  const toBase64 = (text: string): string => Buffer.from(text, 'base64url').toString('base64');
  return {
    user_handle: toBase64(first.userHandle ?? ''),
    credentials: usable.map((passkey) => ({
      id: toBase64(passkey.credentialId),
      public_key: toBase64(passkey.publicKey),
      ...{ attestation_type: 'none', display_name: passkey.name ?? 'Passkey', is_passwordless: true },
      ...(passkey.createdAt && { added_at: passkey.createdAt }),
      flags: {
        ...{ user_present: true, user_verified: true },
        backup_eligible: passkey.deviceType !== 'singleDevice',
        backup_state: passkey.backedUp ?? false,
      },
      ...(passkey.transports && { transport: passkey.transports }),
      authenticator: {
        aaguid: Buffer.from((passkey.aaguid ?? '').replaceAll('-', ''), 'hex').toString('base64'),
        ...{ sign_count: passkey.counter ?? 0, clone_warning: false },
      },
    })),
  };
}
