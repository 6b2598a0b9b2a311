import { toObject, type JsonObject } from '../../json-object.js';
import {
  convertIdentities,
  copyMetadata,
  type Differences,
  hasEntries,
  toJson,
  NO_DISABLED_TIME,
  NO_MFA_REQUIREMENT,
  NO_PASSKEYS,
  NO_TIME,
  RESERVED_NAME,
} from '../differences.js';
import { argon2Text, convertPassword, pbkdf2Text, type PortableHash } from '../portable-hash.js';
import type { ExportedCustomer, ExportTarget, Reason, TargetOptions } from '../target.js';

/** The prefix that Auth0 adds to imported user ids. */
const PREFIX = 'auth0|';

/** The entries that `app_metadata` must not contain. */
const RESERVED = new Set([
  ...['__tenant', '_id', 'blocked', 'clientID', 'created_at', 'email_verified', 'email', 'globalClientID'],
  ...['global_client_id', 'identities', 'lastIP', 'lastLogin', 'loginsCount', 'metadata'],
  ...['multifactor_last_modified', 'multifactor', 'updated_at', 'user_id'],
]);

const PREFIXED: Reason = {
  reason: 'Auth0 adds the prefix auth0| to the ids of imported users',
  remedy: 'In your own database, store the id of the user with the prefix auth0|',
};
const ONE_ID: Reason = {
  reason: 'Auth0 stores only one id, so the externalId is exported as user_id',
  remedy: 'Find the user by the externalId, or by the email address',
};
const AMBIGUOUS_ID: Reason = {
  reason: 'Auth0 would read a part of this externalId as a provider, so the id is exported as user_id',
  remedy: 'Find the user by the id of the customer, or by the email address',
};
const NO_IDENTITIES: Reason = {
  reason: 'Auth0 imports users into a database connection, without accounts at identity providers',
  remedy: 'Link the accounts in Auth0 when the user signs in with the provider',
};
const FORBIDDEN_NAME: Reason = {
  reason: 'Auth0 accepts no name with a dot or a dollar sign in metadata',
  remedy: 'Rename the entry in Gatehouse before the export',
};
const NO_LOCALE: Reason = {
  reason: 'Auth0 does not import a language',
  remedy: 'Store it in publicMetadata before the export',
};
const EDITABLE: Reason = {
  reason: 'It becomes user_metadata, which Auth0 users may be able to edit',
  remedy: 'Before the export, move entries that control access into metadata, which becomes app_metadata',
};

/**
 * Writes files for bulk user imports, of at most 500 KB each
 * (https://auth0.com/docs/manage-users/user-migration/bulk-user-imports and
 * https://auth0.com/docs/manage-users/user-migration/bulk-user-import-database-schema-and-examples).
 */
export const auth0: ExportTarget = {
  name: 'auth0',
  description: 'users-0001.json and further files of at most 500 KB, for bulk user imports',
  files: [{ name: 'users-#.json', head: '[\n', separator: ',\n', tail: '\n]\n', maxBytes: 500_000 }],
  providers: {},
  convert: toJson(toUser),
};

function toUser(customer: ExportedCustomer, options: TargetOptions, differences: Differences): JsonObject {
  const { firstName, lastName, imageUrl } = customer;
  const name = [firstName, lastName].filter(Boolean).join(' ');
  convertIdentities(customer, options, differences, () => NO_IDENTITIES);
  differences.leaveOutIfSet(customer, {
    ...{ locale: NO_LOCALE, passkeys: NO_PASSKEYS, mfa: NO_MFA_REQUIREMENT },
    ...{ createdAt: NO_TIME, updatedAt: NO_TIME, lastLoginAt: NO_TIME },
  });
  if (customer.disabledAt) differences.change('disabledAt', NO_DISABLED_TIME);
  return {
    user_id: toUserId(customer, differences),
    email: customer.email,
    email_verified: customer.emailVerified,
    ...(firstName && { given_name: firstName }),
    ...(lastName && { family_name: lastName }),
    ...(name && { name }),
    ...(imageUrl && { picture: imageUrl }),
    blocked: Boolean(customer.disabledAt),
    ...toCredentials(customer, differences),
    ...toMetadata(customer, differences),
  };
}

function toUserId({ id, externalId }: ExportedCustomer, differences: Differences): string {
  if (externalId === null) {
    differences.change('id', PREFIXED);
    return id;
  }
  const bare = externalId.startsWith(PREFIX) ? externalId.slice(PREFIX.length) : externalId;
  if (bare === '' || bare.includes('|')) {
    differences.leaveOut('externalId', AMBIGUOUS_ID).change('id', PREFIXED);
    return id;
  }
  if (bare === externalId) differences.change('externalId', PREFIXED);
  if (bare !== id) differences.leaveOut('id', ONE_ID);
  return bare;
}

function toCredentials(customer: ExportedCustomer, differences: Differences): JsonObject {
  const hash = convertPassword(customer, differences, toCustomHash);
  return {
    ...(hash && { custom_password_hash: hash }),
    ...(customer.totpSecret && { mfa_factors: [{ totp: { secret: customer.totpSecret } }] }),
  };
}

function toCustomHash(hash: PortableHash): JsonObject | null {
  switch (hash.scheme) {
    case 'bcrypt':
      return { algorithm: 'bcrypt', hash: { value: hash.text, encoding: 'utf8' } };
    case 'argon2':
      return { algorithm: 'argon2', hash: { value: argon2Text(hash), encoding: 'utf8' } };
    case 'pbkdf2':
      return { algorithm: 'pbkdf2', hash: { value: pbkdf2Text(hash), encoding: 'utf8' } };
    case 'scrypt':
      return {
        ...{ algorithm: 'scrypt', hash: { value: hash.hash.toString('base64'), encoding: 'base64' } },
        salt: { value: hash.salt.toString('base64'), encoding: 'base64' },
        ...{ keylen: hash.hash.length, cost: 2 ** hash.ln, blockSize: hash.r, parallelization: hash.p },
      };
    // Auth0 does not support Firebase's scrypt.
    case 'fbscrypt':
      return null;
  }
}

function toMetadata({ metadata, publicMetadata }: ExportedCustomer, differences: Differences): JsonObject {
  const findForbidden = (name: string, value: unknown) =>
    hasForbiddenName(name, value) ? FORBIDDEN_NAME : null;
  const app = copyMetadata(
    'metadata',
    metadata,
    (name, value) => (RESERVED.has(name) ? RESERVED_NAME : findForbidden(name, value)),
    differences,
  );
  const user = copyMetadata('publicMetadata', publicMetadata, findForbidden, differences);
  if (hasEntries(user)) differences.change('publicMetadata', EDITABLE);
  return { ...(hasEntries(app) && { app_metadata: app }), ...(hasEntries(user) && { user_metadata: user }) };
}

/** Source: https://auth0.com/docs/manage-users/user-accounts/metadata/metadata-fields-data */
const hasForbiddenName = (name: string, value: unknown): boolean =>
  /[.$]/.test(name) ||
  (Array.isArray(value)
    ? value.some((item) => hasForbiddenName('', item))
    : Object.entries(toObject(value) ?? {}).some(([key, item]) => hasForbiddenName(key, item)));
