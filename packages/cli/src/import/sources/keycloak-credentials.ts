import { toObject, type JsonObject } from '../../json-object.js';
import {
  argon2Hash,
  decodeBase64,
  encodeBase32,
  isCompleteHash,
  pbkdf2Hash,
  readPositiveInteger,
  toHash,
  type Digest,
} from '../password-hashes.js';
import { toText, type CustomerDraft } from '../source-fields.js';
import type { ImportedCustomer } from '../source.js';
import { isSet, parseJson, readObjectList, toTexts, toTime } from '../source-values.js';
import { reasons, type Reason } from '../reasons.js';
import { keycloakReasons } from './keycloak-reasons.js';

type Passkey = NonNullable<ImportedCustomer['passkeys']>[number];

/** The two parsed JSON strings of a credential. */
interface CredentialData {
  secret: JsonObject;
  data: JsonObject;
}

const pbkdf2Digests: Readonly<Record<string, Digest>> = {
  pbkdf2: 'sha1',
  'pbkdf2-sha256': 'sha256',
  'pbkdf2-sha512': 'sha512',
};

/**
 * Sets a user's password, authenticator app and passkeys. Formats: Keycloak's PasswordCredentialData,
 * Argon2PasswordHashProvider, OTPCredentialModel and WebAuthnCredentialData, and CredentialRepresentation for versions
 * before 8.
 */
export function setCredentials(draft: CustomerDraft, user: JsonObject, rpId: string | undefined): void {
  const passkeys: Passkey[] = [];
  let [hasPassword, hasTotp] = [false, false];
  for (const credential of sortCredentials(draft, user)) {
    const type = toText(credential['type']);
    const [field, parsed] = [`credentials.${type}`, parseCredential(credential)];
    if (type === 'password') {
      // Keycloak verifies only the first password. If it cannot be imported, no other password replaces it.
      if (hasPassword) draft.leaveOut(field, keycloakReasons.otherPassword);
      else setPassword(draft, credential, parsed, user);
      hasPassword = true;
    } else if (otpTypes.has(type) && hasTotp) draft.leaveOut(field, reasons.oneApp);
    else if (otpTypes.has(type)) hasTotp = setTotp(draft, field, parsed);
    else if (type === 'webauthn-passwordless')
      addPasskey(draft, passkeys, { parsed, credential, user, rpId });
    else draft.leaveOut(field, otherTypes.get(type) ?? keycloakReasons.unknownCredential);
  }
  if (passkeys.length > 0) draft.set('passkeys', passkeys);
}

/** The types of authenticator apps. Versions before 8 use the last two. */
const otpTypes = new Set(['otp', 'totp', 'hotp']);

const otherTypes: ReadonlyMap<string, Reason> = new Map([
  ['webauthn', reasons.securityKey],
  ['recovery-authn-codes', reasons.recoveryCodes],
  ['password-history', reasons.noPasswordHistory],
]);

/** Returns a user's credentials in the order in which Keycloak uses them. */
function sortCredentials(draft: CustomerDraft, user: JsonObject): JsonObject[] {
  // A value that is not a list is reported as unknown.
  const list = Array.isArray(user['credentials']) ? user['credentials'] : [];
  const credentials = readObjectList(draft, 'credentials', list);
  const isSortable = credentials.every(({ priority }) => typeof priority === 'number');
  return isSortable
    ? credentials.sort((one, other) => Number(one['priority']) - Number(other['priority']))
    : credentials;
}

/** Parses a credential's data. Returns null if it is missing or not JSON. */
function parseCredential(credential: JsonObject): CredentialData | null {
  const [secret, data] = ['secretData', 'credentialData'].map((name) =>
    toObject(parseJson(toText(credential[name]))),
  );
  if (secret && data) return { secret, data };
  // Versions before 8 have fields instead of the two strings.
  const { type, hashedSaltedValue: value, salt, hashIterations, algorithm, digits, period } = credential;
  if (typeof value !== 'string' || value === '') return null;
  return {
    secret: { value, salt },
    data: { hashIterations, algorithm, subType: type, digits, period },
  };
}

function setPassword(
  draft: CustomerDraft,
  credential: JsonObject,
  parsed: CredentialData | null,
  user: JsonObject,
): void {
  const field = 'credentials.password';
  const { value, temporary } = credential;
  if (toTexts(user['requiredActions']).includes('UPDATE_PASSWORD')) {
    draft.leaveOut(field, reasons.passwordToChange);
    return;
  }
  if (isSet(temporary)) {
    draft.leaveOut(field, keycloakReasons.temporaryPassword);
    return;
  }
  // A file that was written by hand contains the password itself, which Keycloak hashes on import.
  if (typeof value === 'string' && value !== '') {
    draft.set('password', value);
    return;
  }
  if (!parsed) {
    draft.leaveOut(field, reasons.credentialNotJson);
    return;
  }
  const converted = convertHash(parsed);
  if ('hash' in converted) draft.setPasswordHash(field, converted.hash);
  else draft.leaveOut(field, converted.problem);
}

function convertHash({ secret, data }: CredentialData): { hash: string } | { problem: Reason } {
  const algorithm = toText(data['algorithm']);
  const text = toText(secret['value']);
  const malformed = { problem: reasons.malformedHash };
  // Keycloak extensions store a bcrypt hash as one complete string.
  if (algorithm === 'bcrypt') return isCompleteHash(text) ? { hash: text } : malformed;
  const digest = Object.hasOwn(pbkdf2Digests, algorithm) ? pbkdf2Digests[algorithm] : undefined;
  if (!digest && algorithm !== 'argon2') return { problem: reasons.hashAlgorithm };
  const [hash, salt] = [toHash(decodeBase64(text)), decodeBase64(secret['salt'])];
  const iterations = readPositiveInteger(data['hashIterations']);
  if (!hash || !salt || !iterations) return malformed;
  return digest
    ? { hash: pbkdf2Hash(digest, iterations, salt, hash) }
    : convertArgon2(data, iterations, salt, hash);
}

function convertArgon2(
  { additionalParameters }: JsonObject,
  passes: number,
  salt: Buffer,
  hash: Buffer,
): { hash: string } | { problem: Reason } {
  const read = (name: string) => toTexts(toObject(additionalParameters)?.[name])[0];
  const [memory, lanes] = [read('memory'), read('parallelism')].map(readPositiveInteger);
  const kind = read('type');
  if ((kind !== 'id' && kind !== 'i') || read('version') !== '1.3') return { problem: reasons.argon2Version };
  if (!memory || !lanes) return { problem: reasons.malformedHash };
  return { hash: argon2Hash(kind, { memory, passes, lanes }, salt, hash) };
}

/** Sets an authenticator app's secret. @returns true if it was set */
function setTotp(draft: CustomerDraft, field: string, parsed: CredentialData | null): boolean {
  const value = parsed?.secret['value'];
  if (!parsed || typeof value !== 'string' || value === '') {
    draft.leaveOut(field, reasons.credentialNotJson);
    return false;
  }
  const { subType, digits, period, algorithm, secretEncoding } = parsed.data;
  if (subType !== 'totp' || digits !== 6 || period !== 30 || algorithm !== 'HmacSHA1') {
    draft.leaveOut(field, reasons.totpParameters);
    return false;
  }
  const reported = draft.leftOut.length;
  // Without an encoding, the secret consists of the string's UTF-8 bytes.
  const encoding = toText(secretEncoding).toUpperCase();
  if (encoding === '') draft.setTotpSecret(field, encodeBase32(Buffer.from(value)));
  else if (encoding === 'BASE32') draft.setTotpSecret(field, value);
  else draft.leaveOut(field, reasons.secretEncoding);
  return draft.leftOut.length === reported;
}

function addPasskey(
  draft: CustomerDraft,
  passkeys: Passkey[],
  from: { parsed: CredentialData | null; credential: JsonObject; user: JsonObject; rpId: string | undefined },
): void {
  const field = 'credentials.webauthn-passwordless';
  const { data = {} } = from.parsed ?? {};
  const [credentialId, publicKey] = [data['credentialId'], data['credentialPublicKey']].map(decodeBase64);
  if (!from.rpId) draft.leaveOut(field, reasons.passkeyWithoutDomain);
  else if (!credentialId || !publicKey) draft.leaveOut(field, reasons.malformedPasskey);
  else
    passkeys.push({
      rpId: from.rpId,
      credentialId: credentialId.toString('base64url'),
      publicKey: publicKey.toString('base64url'),
      // Keycloak uses the user id's UTF-8 bytes as the user handle.
      userHandle: Buffer.from(toText(from.user['id'])).toString('base64url'),
      ...passkeyDetails(from.credential, data),
    });
}

function passkeyDetails(credential: JsonObject, data: JsonObject): Partial<Passkey> {
  const { counter, aaguid } = data;
  const name = toText(credential['userLabel']).slice(0, 100);
  const createdAt = toTime(credential['createdDate']);
  const transports = toTexts(data['transports']).filter((transport) => /^[a-z-]{1,32}$/.test(transport));
  return {
    ...(Number.isSafeInteger(counter) && Number(counter) > 0 && { counter: Number(counter) }),
    ...(transports.length > 0 && { transports: transports.slice(0, 10) }),
    ...(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(toText(aaguid)) && { aaguid: toText(aaguid) }),
    ...(name !== '' && { name }),
    ...(createdAt !== null && { createdAt }),
  };
}
