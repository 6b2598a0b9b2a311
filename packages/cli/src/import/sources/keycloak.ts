import { toObject, type JsonObject } from '../../json-object.js';
import { readJson } from '../read-files.js';
import { CustomerDraft, notImported, toText } from '../source-fields.js';
import type { ImportSource, SourceOptions, SourceRecord } from '../source.js';
import {
  addMetadata,
  assertUsers,
  invalidRecord,
  leaveOutOthers,
  leaveOutText,
  setDisabled,
  setIdentities,
  setTime,
  toObjects,
  toTexts,
} from '../source-values.js';
import { setCredentials } from './keycloak-credentials.js';
import { reasons } from '../reasons.js';

/** Names of fields that are read, or that have no meaning outside of Keycloak. */
const knownFields = new Set([
  ...['id', 'username', 'email', 'emailVerified', 'firstName', 'lastName', 'enabled', 'createdTimestamp'],
  ...['attributes', 'credentials', 'requiredActions', 'federatedIdentities', 'federationLink', 'realmRoles'],
  ...['clientRoles', 'groups', 'serviceAccountClientId', 'totp', 'disableableCredentialTypes', 'notBefore'],
  ...['access', 'origin', 'self', 'clientConsents'],
]);

/**
 * Reads users of `kc.sh export`: the realm with `--users realm_file` or `same_file`, or the files
 * `<realm>-users-<number>.json`.
 * Sources: https://www.keycloak.org/server/importExport, and UserRepresentation of Keycloak
 */
export const keycloak: ImportSource = {
  name: 'keycloak',
  files: 'the JSON files of `kc.sh export` that contain users',
  // The provider `microsoft` of Keycloak stores ids of Microsoft Graph, and Gatehouse compares the claim `sub`.
  providers: { google: 'google', github: 'github', apple: 'apple', gitlab: 'gitlab' },
  options: [
    {
      flags: '--rp-id <domain>',
      description:
        'domain of the passkeys, which must be passkeys.rpId of the project. Default: passkeys are left out',
    },
  ],
  read: readKeycloak,
};

async function* readKeycloak(
  files: readonly string[],
  { values }: SourceOptions,
): AsyncGenerator<SourceRecord> {
  yield* assertUsers(files, async function* () {
    for (const file of files)
      for await (const { position, value } of readJson(file, '$.users.*'))
        yield value ? convertKeycloakUser(position, value, values['rpId']) : invalidRecord(position);
  });
}

/** Returns a user of a realm. @param rpId the domain of the passkeys */
export function convertKeycloakUser(position: string, user: JsonObject, rpId?: string): SourceRecord {
  const draft = new CustomerDraft();
  const sourceId = toText(user['id']);
  if (toText(user['serviceAccountClientId']) !== '')
    return notImported(position, sourceId || null, '', reasons.serviceAccount);
  draft.setId('id', sourceId);
  draft.set('email', toText(user['email'])).set('emailVerified', user['emailVerified'] === true);
  draft.setName('firstName', 'firstName', toText(user['firstName']));
  draft.setName('lastName', 'lastName', toText(user['lastName']));
  setTime(draft, 'createdAt', 'createdTimestamp', user['createdTimestamp']);
  if (user['enabled'] === false) setDisabled(draft, [user['createdTimestamp']]);
  setCredentials(draft, user, rpId);
  setFederatedIdentities(draft, user);
  setAttributes(draft, user);
  setRequiredActions(draft, user);
  leaveOutAccess(draft, user);
  // A realm whose users sign in with their email address repeats it here.
  if (toText(user['username']).toLowerCase() !== toText(user['email']).toLowerCase())
    leaveOutText(draft, 'username', user['username'], reasons.noUsername);
  leaveOutOthers(draft, user, knownFields);
  return { position, sourceId: sourceId || null, customer: draft.finish(), leftOut: draft.leftOut };
}

function setFederatedIdentities(draft: CustomerDraft, user: JsonObject): void {
  const identities = [];
  for (const { identityProvider, userId } of toObjects(user['federatedIdentities'])) {
    const [provider, subject] = [toText(identityProvider), toText(userId)];
    if (provider && subject) identities.push({ provider, subject });
    else draft.leaveOut('federatedIdentities', reasons.identityWithoutId);
  }
  setIdentities(draft, identities);
  if (toText(user['federationLink']) !== '') draft.leaveOut('federationLink', reasons.federatedPassword);
}

function setAttributes(draft: CustomerDraft, user: JsonObject): void {
  const metadata: JsonObject = {};
  for (const [name, value] of Object.entries(toObject(user['attributes']) ?? {})) {
    // Keycloak stores every attribute as a list.
    const single: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
    if (name === 'locale' && toText(single) !== '') draft.setLocale('attributes.locale', toText(single));
    else addMetadata(draft, metadata, name, single);
  }
  draft.setMetadata('metadata', 'attributes', metadata);
}

function setRequiredActions(draft: CustomerDraft, user: JsonObject): void {
  for (const action of toTexts(user['requiredActions'])) {
    if (action === 'CONFIGURE_TOTP') draft.set('mfa', 'required');
    // The other two are expressed by emailVerified, and by the missing password.
    else if (action !== 'VERIFY_EMAIL' && action !== 'UPDATE_PASSWORD')
      draft.leaveOut('requiredActions', reasons.noRequiredAction);
  }
}

/** Reports roles and groups, except the roles that every user of a realm has. */
function leaveOutAccess(draft: CustomerDraft, user: JsonObject): void {
  const isDefault = (role: string) => /^(default-roles-.+|offline_access|uma_authorization)$/.test(role);
  const clientRoles = Object.entries(toObject(user['clientRoles']) ?? {}).filter(
    ([client, roles]) => client !== 'account' && toTexts(roles).length > 0,
  );
  if (clientRoles.length > 0 || !toTexts(user['realmRoles']).every(isDefault))
    draft.leaveOut('roles', reasons.noRoles);
  if (toTexts(user['groups']).length > 0) draft.leaveOut('groups', reasons.noGroups);
}
