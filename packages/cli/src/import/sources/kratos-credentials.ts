import { toObject, type JsonObject } from '../../json-object.js';
import {
  decodeBase64,
  firebaseScryptHash,
  readPositiveInteger,
  scryptHash,
  toHash,
} from '../password-hashes.js';
import { parseBoolean, readFlag } from '../read-boolean.js';
import { reasons, type Reason } from '../reasons.js';
import { toText, type CustomerDraft } from '../source-fields.js';
import type { ImportedCustomer } from '../source.js';
import {
  isAbsent,
  isSet,
  readObject,
  readObjectList,
  readString,
  readTextList,
  setIdentities,
  toTexts,
  toTime,
} from '../source-values.js';
import { unknown } from '../unknown-reasons.js';

type Passkey = NonNullable<ImportedCustomer['passkeys']>[number];

const ownReasons = {
  noConfig: {
    reason: 'The export contains this credential without its configuration',
    remedy: 'Export again with include_credential for this type, and run the command again',
  },
} satisfies Record<string, Reason>;

/** Credentials that need no import, such as emailed codes and recovery links. */
const IGNORED = new Set(['code', 'link_recovery', 'code_recovery', 'profile']);

/** Sets an identity's password, accounts, authenticator app and passkeys. */
export function setKratosCredentials(
  draft: CustomerDraft,
  credentials: JsonObject,
  rpId: string | undefined,
): void {
  const passkeys: Passkey[] = [];
  for (const [type, value] of Object.entries(credentials)) {
    const field = `credentials.${type}`;
    const credential = toObject(value) ?? {};
    const config = toObject(credential['config']);
    if (type === 'oidc') setAccounts(draft, credential, config);
    else if (type === 'saml') draft.leaveOut(field, reasons.noSaml);
    else if (type === 'lookup_secret') draft.leaveOut(field, reasons.recoveryCodes);
    else if (IGNORED.has(type)) continue;
    else if (!config) draft.leaveOut(field, ownReasons.noConfig);
    else if (type === 'password') setPassword(draft, config);
    else if (type === 'totp') setTotp(draft, config);
    else if (type === 'webauthn' || type === 'passkey')
      passkeys.push(...readPasskeys(draft, type, config, rpId));
    else draft.leaveOut(field, reasons.credentialType);
  }
  if (passkeys.length > 0) draft.set('passkeys', passkeys);
}

function setPassword(draft: CustomerDraft, config: JsonObject): void {
  const field = 'credentials.password';
  const text = readString(draft, field, config['hashed_password']);
  // The configuration of an identity without a password is empty, or refers to a password migration hook.
  if (text === '') {
    if (isSet(config['use_password_migration_hook'])) draft.leaveOut(field, reasons.hashAlgorithm);
    return;
  }
  const hash = convertHash(text);
  if (hash === null) draft.leaveOut(field, reasons.malformedHash);
  else draft.setPasswordHash(field, hash);
}

/**
 * Converts the two formats that Gatehouse does not accept: `$scrypt$ln=16384,…`, where `ln` is N itself, and
 * `$firescrypt$ln=14,r=8,p=1$<salt>$<hash>$<salt separator>$<signer key>` (hash/hash_comparator.go in Kratos,
 * https://www.ory.sh/docs/kratos/manage-identities/import-user-accounts-identities).
 */
function convertHash(text: string): string | null {
  const [, name, parameters = '', ...parts] = text.split('$');
  if (name !== 'scrypt' && name !== 'firescrypt') return text;
  const [n, r, p] = (/^ln=(\d+),r=(\d+),p=(\d+)$/.exec(parameters) ?? []).slice(1).map(readPositiveInteger);
  const [salt, hashBytes = null, saltSeparator, signerKey] = parts.map(decodeBase64);
  const hash = toHash(hashBytes);
  if (!n || !r || !p || !salt || !hash) return null;
  if (name === 'firescrypt')
    return saltSeparator && signerKey && p === 1
      ? firebaseScryptHash({ saltSeparator, signerKey, rounds: r, memoryCost: n }, salt, hash)
      : null;
  const ln = Math.log2(n);
  return Number.isInteger(ln) ? scryptHash({ ln, r, p }, salt, hash) : null;
}

/** Sets the accounts in the configuration, and any others in the identifiers, such as `google:<subject>`. */
function setAccounts(draft: CustomerDraft, credential: JsonObject, config: JsonObject | null): void {
  const field = 'credentials.oidc';
  const providers = config?.['providers'] ?? null;
  const identities = readObjectList(draft, field, providers).map((each) => ({
    provider: toText(each['provider']),
    subject: toText(each['subject']),
  }));
  const complete = identities.filter(({ provider, subject }) => provider && subject);
  const known = new Set(complete.map(({ provider, subject }) => `${provider}:${subject}`));
  let isMalformed = complete.length < identities.length;
  for (const text of readTextList(draft, field, credential['identifiers'])) {
    if (known.has(text)) continue;
    const colon = text.indexOf(':');
    const identity = { provider: text.slice(0, Math.max(colon, 0)), subject: text.slice(colon + 1) };
    if (identity.provider && identity.subject) complete.push(identity);
    else isMalformed = true;
  }
  if (providers === null && complete.length === 0) draft.leaveOut(field, ownReasons.noConfig);
  if (isMalformed) draft.leaveOut(field, reasons.identityWithoutId);
  setIdentities(draft, complete);
}

/**
 * Sets the secret from an `otpauth://totp/…` URL (https://github.com/google/google-authenticator/wiki/Key-Uri-Format).
 */
function setTotp(draft: CustomerDraft, config: JsonObject): void {
  const field = 'credentials.totp';
  const url = toText(config['totp_url']);
  if (url === '') {
    draft.leaveOut(field, reasons.noSecret);
    return;
  }
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1));
  const defaults = { algorithm: 'SHA1', digits: '6', period: '30' };
  const isUsual = Object.entries(defaults).every(([name, value]) => (query.get(name) ?? value) === value);
  if (!url.startsWith('otpauth://totp/') || !isUsual) draft.leaveOut(field, reasons.totpParameters);
  else draft.setTotpSecret(field, query.get('secret') ?? '');
}

/** Returns the passkeys in a configuration (identity/credentials_webauthn.go in Kratos). Their bytes are in base64. */
function readPasskeys(
  draft: CustomerDraft,
  type: string,
  config: JsonObject,
  rpId: string | undefined,
): Passkey[] {
  const field = `credentials.${type}`;
  const userHandle = decodeBase64(config['user_handle']);
  const passkeys: Passkey[] = [];
  for (const credential of readObjectList(draft, field, config['credentials'])) {
    const [id, publicKey] = [decodeBase64(credential['id']), decodeBase64(credential['public_key'])];
    if (type === 'webauthn' && !readFlag(draft, field, credential['is_passwordless']))
      draft.leaveOut(field, reasons.securityKey);
    else if (!rpId) draft.leaveOut(field, reasons.passkeyWithoutDomain);
    else if (!id || !publicKey || !userHandle) draft.leaveOut(field, reasons.malformedPasskey);
    else
      passkeys.push({
        rpId,
        credentialId: id.toString('base64url'),
        publicKey: publicKey.toString('base64url'),
        userHandle: userHandle.toString('base64url'),
        ...passkeyDetails(draft, field, credential),
      });
  }
  return passkeys;
}

function passkeyDetails(draft: CustomerDraft, field: string, credential: JsonObject): Partial<Passkey> {
  const authenticator = toObject(credential['authenticator']) ?? {};
  const aaguid = decodeBase64(authenticator['aaguid'])?.toString('hex') ?? '';
  const counter = readPositiveInteger(authenticator['sign_count']);
  // Gatehouse would reject a passkey with other transports.
  const transports = toTexts(credential['transport'])
    .filter((text) => /^[a-z-]{1,32}$/.test(text))
    .slice(0, 10);
  const flags = readObject(draft, field, credential['flags']);
  const [isEligible, isBackedUp] = [flags['backup_eligible'], flags['backup_state']].map((flag) => {
    const parsed = parseBoolean(flag);
    if (parsed === null) draft.leaveOut(field, unknown.boolean);
    return parsed;
  });
  const name = toText(credential['display_name']).slice(0, 100);
  const createdAt = toTime(credential['added_at']);
  if (createdAt === null && !isAbsent(credential['added_at'])) draft.leaveOut(field, reasons.noTime);
  return {
    ...(counter !== null && { counter }),
    ...(transports.length > 0 && { transports }),
    ...(typeof isEligible === 'boolean' && {
      deviceType: isEligible ? ('multiDevice' as const) : ('singleDevice' as const),
    }),
    ...(typeof isBackedUp === 'boolean' && { backedUp: isBackedUp }),
    ...(aaguid.length === 32 && {
      aaguid: aaguid.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    }),
    ...(name !== '' && { name }),
    ...(createdAt !== null && { createdAt }),
  };
}
