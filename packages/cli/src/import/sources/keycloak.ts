import { usageError } from '../../cli-error.js';
import { toObject, type JsonObject } from '../../json-object.js';
import { NO_OPENID, OTHER_IDS, withReason } from '../unusable-providers.js';
import { findValue, readDocuments } from '../read-documents.js';
import { startsWithArray } from '../read-files.js';
import { CustomerDraft, notImported, toText } from '../source-fields.js';
import type { ImportSource, SourceOptions, SourceRecord } from '../source.js';
import {
  addMetadata,
  invalidRecord,
  isSet,
  leaveOutOthers,
  leaveOutText,
  readObject,
  readObjectList,
  readString,
  readTextList,
  setDisabled,
  setIdentities,
  setTime,
  toTexts,
} from '../source-values.js';
import { setCredentials } from './keycloak-credentials.js';
import { parseBoolean, readVerified } from '../read-boolean.js';
import { reasons } from '../reasons.js';
import { keycloakReasons } from './keycloak-reasons.js';
import { nameProvider, readProviders, setsAddress, type RealmProviders } from './keycloak-providers.js';
import { assertOneRealm, findMembers, severalRealmsError } from './keycloak-realms.js';

/** Fields that are read, or that have no meaning outside Keycloak. */
const knownFields = new Set([
  ...['id', 'username', 'email', 'emailVerified', 'firstName', 'lastName', 'enabled', 'createdTimestamp'],
  ...['attributes', 'credentials', 'requiredActions', 'federatedIdentities', 'federationLink', 'realmRoles'],
  ...['clientRoles', 'groups', 'serviceAccountClientId', 'totp', 'disableableCredentialTypes', 'notBefore'],
  ...['access', 'origin', 'self', 'clientConsents', 'userProfileMetadata'],
]);

/**
 * Reads users from `kc.sh export`: the realm with `--users realm_file` or `same_file`, or the files
 * `<realm>-users-<number>.json`. Lists from the Admin API are also accepted, but lack credentials. Sources:
 * https://www.keycloak.org/server/importExport, and Keycloak's UserRepresentation
 */
export const keycloak: ImportSource = {
  name: 'keycloak',
  files: 'the JSON files of `kc.sh export` that contain users, or lists of users from the Admin API',
  // Keycloak's `microsoft` provider stores ids from Microsoft Graph, but Gatehouse compares the `sub` claim.
  providers: { google: 'google', github: 'github', apple: 'apple', gitlab: 'gitlab' },
  unusableProviders: {
    microsoft: OTHER_IDS,
    saml: reasons.noSaml,
    ...withReason(NO_OPENID, ['bitbucket', 'facebook', 'instagram', 'stackoverflow', 'twitter']),
  },
  options: [
    {
      flags: '--rp-id <domain>',
      description:
        'passkey domain, which must equal passkeys.rpId of the project. Default: passkeys are left out',
    },
  ],
  read: readKeycloak,
};

const NO_USERS_FIX =
  'Use kc.sh export with --users different_files or same_file. A partial export contains no users except service accounts.';

async function* readKeycloak(
  files: readonly string[],
  { values }: SourceOptions,
): AsyncGenerator<SourceRecord> {
  const inputs = await Promise.all(files.map(inspectFile));
  const { realms, withProviders } = await findMembers(files);
  await assertOneRealm(files, realms);
  const providers = await readProviders(withProviders);
  let hasUsers = false;
  for (const { file, paths } of inputs)
    for await (const { position, name, value } of readDocuments(file, paths)) {
      const user = toObject(value);
      if (user?.['realm'] !== undefined && user['username'] === undefined)
        throw severalRealmsError(`${file} contains`);
      if (toText(user?.['serviceAccountClientId']) === '') hasUsers = true;
      if (!user) yield invalidRecord(position);
      else if (name === 'federatedUsers')
        yield notImported(position, toText(user['id']) || null, '', keycloakReasons.federatedUser);
      else yield convertKeycloakUser(position, user, values['rpId'], providers);
    }
  if (!hasUsers) throw usageError(`No users in ${files.join(', ')}.`, NO_USERS_FIX);
}

/** A user's account with an identity provider. */
interface FederatedIdentity {
  /** The name for `--provider`, with the type if necessary. */
  provider: string;
  /** The provider's name in the realm. */
  alias: string;
  subject: string;
}

/** A file, and the paths to its users. */
interface Input {
  file: string;
  paths: string[];
}

/**
 * Returns the paths to the users in a file: a realm, one or several concatenated lists from the Admin API, or
 * concatenated users.
 */
async function inspectFile(file: string): Promise<Input> {
  if (await startsWithArray(file)) return { file, paths: ['$.*'] };
  const first = await findValue(file, ['$.realm', '$.users.*', '$.federatedUsers.*', '$.username']);
  if (first?.name === 'username') return { file, paths: ['$'] };
  return { file, paths: ['$.users.*', '$.federatedUsers.*'] };
}

/** Converts a realm user. @param rpId the passkey domain */
export function convertKeycloakUser(
  position: string,
  user: JsonObject,
  rpId?: string,
  providers: RealmProviders = new Map(),
): SourceRecord {
  const draft = new CustomerDraft();
  const sourceId = toText(user['id']);
  if (toText(user['serviceAccountClientId']) !== '')
    return notImported(position, sourceId || null, '', reasons.serviceAccount);
  draft.setId('id', sourceId);
  draft.set('email', toText(user['email']));
  draft.setName('firstName', 'firstName', readString(draft, 'firstName', user['firstName']));
  draft.setName('lastName', 'lastName', readString(draft, 'lastName', user['lastName']));
  setTime(draft, 'createdAt', 'createdTimestamp', user['createdTimestamp']);
  // Keycloak itself imports a user without this field as disabled.
  const isEnabled = parseBoolean(user['enabled']);
  if (isEnabled !== true) setDisabled(draft, [user['createdTimestamp']]);
  if (typeof isEnabled !== 'boolean') draft.leaveOutBan('enabled', keycloakReasons.unknownState);
  setCredentials(draft, user, rpId);
  leaveOutUnknown(draft, user);
  const identities = readFederatedIdentities(draft, user, providers);
  setIdentities(
    draft,
    identities.map(({ provider, subject }) => ({ provider, subject })),
  );
  setVerified(draft, user, identities, providers);
  setAttributes(draft, user);
  setRequiredActions(draft, user);
  leaveOutAccess(draft, user);
  // If a realm's users sign in with their email address, it is also the username.
  if (toText(user['username']).toLowerCase() !== toText(user['email']).toLowerCase())
    leaveOutText(draft, 'username', user['username'], reasons.noUsername);
  leaveOutOthers(draft, user, knownFields);
  return draft.toRecord(position, sourceId);
}

function readFederatedIdentities(
  draft: CustomerDraft,
  user: JsonObject,
  providers: RealmProviders,
): FederatedIdentity[] {
  const identities: FederatedIdentity[] = [];
  for (const { identityProvider, userId } of readObjectList(
    draft,
    'federatedIdentities',
    user['federatedIdentities'],
  )) {
    const [alias, subject] = [toText(identityProvider), toText(userId)];
    if (alias && subject)
      identities.push({ provider: nameProvider(alias, providers, keycloak), alias, subject });
    else draft.leaveOut('federatedIdentities', reasons.identityWithoutId);
  }
  leaveOutText(draft, 'federationLink', user['federationLink'], reasons.federatedPassword);
  return identities;
}

/** Sets whether the email address is verified. An address that a company sets for its users counts as unverified. */
function setVerified(
  draft: CustomerDraft,
  user: JsonObject,
  identities: readonly FederatedIdentity[],
  providers: RealmProviders,
): void {
  const isVerified = readVerified(draft, 'emailVerified', user['emailVerified']);
  const isCompanyAddress = isVerified && identities.some(({ alias }) => setsAddress(alias, providers));
  draft.set('emailVerified', isVerified && !isCompanyAddress);
  if (isCompanyAddress) draft.leaveOut('emailVerified', reasons.companyAddress);
}

function setAttributes(draft: CustomerDraft, user: JsonObject): void {
  const metadata: JsonObject = {};
  for (const [name, value] of Object.entries(readObject(draft, 'attributes', user['attributes']))) {
    // Keycloak stores every attribute as a list.
    const single: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
    if (name === 'locale' && toText(single) !== '') draft.setLocale('attributes.locale', toText(single));
    else addMetadata(draft, metadata, name, single);
  }
  draft.setMetadata('metadata', 'attributes', metadata);
}

function setRequiredActions(draft: CustomerDraft, user: JsonObject): void {
  for (const action of readTextList(draft, 'requiredActions', user['requiredActions'])) {
    if (action === 'CONFIGURE_TOTP') draft.set('mfa', 'required');
    // The email verification and the missing password already represent the other two actions.
    else if (action !== 'VERIFY_EMAIL' && action !== 'UPDATE_PASSWORD')
      draft.leaveOut('requiredActions', reasons.noRequiredAction);
  }
}

/**
 * Reports the values that lists from the Admin API do not contain. Only `kc.sh export` writes `credentials` for each
 * user.
 */
function leaveOutUnknown(draft: CustomerDraft, user: JsonObject): void {
  if (Array.isArray(user['credentials'])) return;
  draft.leaveOut('credentials', keycloakReasons.unknownCredentials);
  if (isSet(user['totp']) || toTexts(user['disableableCredentialTypes']).includes('otp'))
    draft.leaveOut('credentials.otp', keycloakReasons.unknownApp);
  if (user['federatedIdentities'] === undefined)
    draft.leaveOut('federatedIdentities', keycloakReasons.unknownIdentities);
  if (user['realmRoles'] === undefined && user['groups'] === undefined)
    draft.leaveOut('roles', keycloakReasons.unknownAccess);
  if (user['attributes'] === undefined && user['requiredActions'] === undefined)
    draft.leaveOut('attributes', keycloakReasons.unknownDetails);
}

/** Reports roles, groups and consents, except the default roles of a realm. */
function leaveOutAccess(draft: CustomerDraft, user: JsonObject): void {
  const isDefault = (role: string) => /^(default-roles-.+|offline_access|uma_authorization)$/.test(role);
  const clientRoles = Object.entries(readObject(draft, 'clientRoles', user['clientRoles'])).filter(
    ([client, roles]) => client !== 'account' && isSet(roles),
  );
  if (clientRoles.length > 0 || !readTextList(draft, 'realmRoles', user['realmRoles']).every(isDefault))
    draft.leaveOut('roles', reasons.noRoles);
  if (isSet(user['groups'])) draft.leaveOut('groups', reasons.noGroups);
  if (isSet(user['clientConsents'])) draft.leaveOut('clientConsents', keycloakReasons.consents);
}
