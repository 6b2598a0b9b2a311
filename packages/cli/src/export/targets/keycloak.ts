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
  NO_PROVIDER,
  NO_TIME,
} from '../differences.js';
import type { ExportedCustomer, ExportTarget, Reason, TargetOptions } from '../target.js';
import { toCredentials } from './keycloak-credentials.js';

/** The attributes that are user fields in Keycloak, or that the export sets. */
const RESERVED = new Set(['username', 'email', 'firstName', 'lastName', 'locale']);

const AS_ATTRIBUTE: Reason = {
  reason: 'Keycloak has no external id: the value becomes the attribute externalId',
  remedy: 'Add the attribute externalId to the user profile of the realm',
};
const AS_ATTRIBUTES: Reason = {
  reason: 'Its entries become attributes of the user, and values other than strings become JSON',
  remedy: 'Add the attributes to the user profile of the realm, or enable unmanaged attributes',
};
const RESERVED_NAME: Reason = {
  reason: 'Keycloak uses this name for its own data, or metadata and publicMetadata both contain it',
  remedy: 'Rename the entry in Gatehouse before the export',
};
const EMPTY: Reason = {
  reason: 'Keycloak does not store attributes without a value',
  remedy: 'Nothing, if your application treats a missing attribute as empty',
};
const GRAPH_ID: Reason = {
  reason: "Keycloak's provider microsoft compares Microsoft Graph ids, but Gatehouse stores the sub claim",
  remedy: 'Add an OpenID Connect provider for Microsoft to the realm, and pass --provider microsoft=<alias>',
};

/**
 * Writes files for partial imports (https://www.keycloak.org/server/importExport), which keep user ids since Keycloak
 * 23 (https://github.com/keycloak/keycloak/pull/22568). Each import is one transaction. Its duration grows
 * faster than the number of users.
 */
export const keycloak: ExportTarget = {
  name: 'keycloak',
  description: 'users-0001.json and further files of 500 users, for partial imports',
  files: [
    {
      name: 'users-#.json',
      ...{ head: '{"ifResourceExists":"FAIL","users":[\n', separator: ',\n', tail: '\n]}\n' },
      maxRecords: 500,
    },
  ],
  providers: { google: 'google', github: 'github', apple: 'apple', gitlab: 'gitlab' },
  convert: toJson(toUser),
};

function toUser(customer: ExportedCustomer, options: TargetOptions, differences: Differences): JsonObject {
  const { id, email, emailVerified, firstName, lastName, createdAt } = customer;
  const identities = convertIdentities(customer, options, differences, (slug) =>
    slug === 'microsoft' ? GRAPH_ID : NO_PROVIDER,
  );
  differences.leaveOutIfSet(customer, { updatedAt: NO_TIME, lastLoginAt: NO_TIME, imageUrl: NO_IMAGE });
  if (customer.disabledAt) differences.change('disabledAt', NO_DISABLED_TIME);
  const attributes = toAttributes(customer, differences);
  return {
    ...{ id, username: email, email, emailVerified },
    ...(firstName && { firstName }),
    ...(lastName && { lastName }),
    enabled: !customer.disabledAt,
    createdTimestamp: Date.parse(createdAt),
    ...(hasEntries(attributes) && { attributes }),
    credentials: toCredentials(customer, differences),
    federatedIdentities: identities.map(({ provider, subject }) => ({
      ...{ identityProvider: provider, userId: subject, userName: email },
    })),
    requiredActions: toRequiredActions(customer, differences),
  };
}

/** Returns the attributes, which are lists of strings. */
function toAttributes(customer: ExportedCustomer, differences: Differences): JsonObject {
  const attributes: JsonObject = {};
  for (const field of ['metadata', 'publicMetadata'] as const) {
    const metadata = customer[field];
    if (hasEntries(metadata)) differences.change(field, AS_ATTRIBUTES);
    for (const [name, value] of Object.entries(metadata))
      if (RESERVED.has(name) || Object.hasOwn(attributes, name))
        differences.leaveOut(`${field}.${name}`, RESERVED_NAME);
      else if (value === null || value === '') differences.leaveOut(`${field}.${name}`, EMPTY);
      else attributes[name] = toTexts(value);
  }
  if (customer.locale) attributes['locale'] = [customer.locale];
  const { id, externalId } = customer;
  const value = externalId === id ? null : externalId;
  addEntry(attributes, 'externalId', { field: 'externalId', value, change: AS_ATTRIBUTE }, differences);
  return attributes;
}

function toTexts(value: unknown): string[] {
  const isList = Array.isArray(value) && value.length > 1 && value.every((item) => typeof item === 'string');
  if (isList) return value;
  return [typeof value === 'string' ? value : JSON.stringify(value)];
}

/** Requires customers to set up an authenticator app if they must use a second factor and have none. */
function toRequiredActions(customer: ExportedCustomer, differences: Differences): string[] {
  if (customer.mfa !== 'required') return [];
  if (!customer.totpSecret) return ['CONFIGURE_TOTP'];
  differences.leaveOut('mfa', NO_MFA_REQUIREMENT);
  return [];
}
