import { toObject, type JsonObject } from '../../json-object.js';
import { findUnusableProvider, NO_OPENID, OTHER_IDS, withReason } from '../unusable-providers.js';
import { reasons, type Reason } from '../reasons.js';
import { toText, type CustomerDraft } from '../source-fields.js';
import { setIdentities } from '../source-values.js';
import { unknown } from '../unknown-reasons.js';

/** The password hashes of a password export, by user id. */
export type Passwords = Map<string, string>;

/** Providers without an account elsewhere: passwords, and codes by email or text message. */
const OWN_PROVIDERS = new Set(['auth0', 'email', 'sms']);

/** Providers with a separate identity provider for each connection. Their ids begin with the connection. */
const SHARED_PROVIDERS = new Set(['oauth2', 'oidc', 'okta']);

/** The Auth0 strategies whose ids never match in Gatehouse. */
export const unusableProviders: Readonly<Record<string, Reason>> = {
  ...withReason(reasons.noSaml, ['adfs', 'pingfederate', 'samlp']),
  // Microsoft: the id from an older API, or the object id instead of the `sub` claim. Google Workspace: the email
  // address.
  ...withReason(OTHER_IDS, ['google-apps', 'office365', 'waad', 'windowslive']),
  ...withReason(NO_OPENID, ['ad', 'auth0-adldap', 'ip', 'sharepoint']),
  ...withReason(NO_OPENID, ['amazon', 'baidu', 'bitbucket', 'evernote', 'facebook', 'fitbit', 'instagram']),
  ...withReason(NO_OPENID, ['renren', 'shopify', 'soundcloud', 'thirtysevensignals', 'twitter']),
  ...withReason(NO_OPENID, ['vkontakte', 'weibo', 'wordpress', 'yammer', 'yandex']),
};

/** The strategies with which a company sets its users' email addresses, and can mark any address as verified. */
export const companyProviders: ReadonlySet<string> = new Set([
  ...['ad', 'adfs', 'auth0-adldap', 'ip', 'office365', 'oidc', 'okta', 'pingfederate', 'samlp', 'sharepoint'],
  'waad',
]);

const isUnusable = (provider: string): boolean => findUnusableProvider(unusableProviders, provider) !== null;

/**
 * Sets a user's identities and password, and removes the hash from `passwords`.
 * @returns the provider of the primary identity, which has set the user's email address
 */
export function convertIdentities(
  draft: CustomerDraft,
  userId: string,
  user: JsonObject,
  passwords: Passwords,
): string {
  const identities: { provider: string; subject: string }[] = [];
  const hashes: string[] = [];
  const listed = listIdentities(userId, user);
  for (const { provider, connection, subject } of listed) {
    if (provider === 'auth0') {
      const hash = passwords.get(subject);
      passwords.delete(subject);
      if (hash) hashes.push(hash);
      else draft.leaveOut('passwordHash', reasons.missingPassword);
    } else if (subject === '' && !OWN_PROVIDERS.has(provider)) {
      draft.leaveOut('identities', reasons.identityWithoutId);
    } else if (provider === 'google-apps' && !subject.includes('@')) {
      // The connection was created with "Use ID instead of Email for Auth0 User ID".
      identities.push({ provider: connection, subject: withoutPrefix(subject, connection) });
    } else if (isUnusable(provider)) {
      const name = connection === provider ? provider : `${provider}:${connection}`;
      identities.push({ provider: name, subject });
    } else if (SHARED_PROVIDERS.has(provider)) {
      identities.push({ provider: connection, subject: withoutPrefix(subject, connection) });
    } else if (!OWN_PROVIDERS.has(provider)) {
      identities.push({ provider, subject });
    }
  }
  setIdentities(draft, identities);
  if (!Array.isArray(user['identities'])) draft.leaveOut('identities', unknown.linkedAccounts);
  // The first hash belongs to the user's email address, the others to linked accounts.
  const [hash, ...others] = hashes;
  if (hash !== undefined) draft.setPasswordHash('passwordHash', hash);
  if (others.length > 0) draft.leaveOut('passwordHash', reasons.onePassword);
  return listed[0]!.provider;
}

/** Returns a user's ids in the password export. */
export const passwordIds = (user: JsonObject): string[] =>
  listIdentities(toText(user['user_id']), user)
    .filter(({ provider }) => provider === 'auth0')
    .map(({ subject }) => subject);

/** Returns a user's identities, from the export or else from the user id. */
function listIdentities(
  userId: string,
  user: JsonObject,
): { provider: string; connection: string; subject: string }[] {
  const listed = Array.isArray(user['identities']) ? user['identities'].map(toObject) : [];
  if (listed.length === 0) {
    const [provider = '', ...rest] = userId.split('|');
    if (rest.length === 0) return [{ provider: 'auth0', connection: 'auth0', subject: userId }];
    const subject = rest.join('|');
    return [{ provider, connection: rest.length > 1 ? rest[0]! : provider, subject }];
  }
  return listed.map((identity) => {
    const name = toText(identity?.['provider']);
    const provider = name.toLowerCase();
    return {
      provider,
      connection: toText(identity?.['connection']) || provider,
      subject: withoutPrefix(toText(identity?.['user_id']), name),
    };
  });
}

/** Returns an id without the prefix that Auth0 adds: `google-oauth2|123` becomes `123`. */
const withoutPrefix = (id: string, prefix: string): string =>
  id.startsWith(`${prefix}|`) ? id.slice(prefix.length + 1) : id;
