import type { JsonObject } from '../../json-object.js';
import type { Differences } from '../differences.js';
import { convertPassword, type PortableHash } from '../portable-hash.js';
import type { ExportedCustomer, Reason } from '../target.js';

const BCRYPT: Reason = {
  reason: 'Keycloak verifies bcrypt hashes only with an extension',
  remedy:
    'Install a password hash provider with the id bcrypt before the import, or ask the customer to reset the password',
};
const OTHER_HANDLE: Reason = {
  reason: "Keycloak finds a passkey's user by the id, but this passkey contains a different id",
  remedy: 'Ask the customer to sign in with another method and add a passkey',
};

const NO_PASSKEY_DETAILS: Reason = {
  reason: 'Keycloak does not store whether a passkey is synchronized, nor the time of its last use',
  remedy: 'Nothing: the passkey works without this information',
};

/** Returns a credential with its two JSON strings. */
const toCredential = (
  type: string,
  secret: JsonObject,
  data: JsonObject,
  more: JsonObject = {},
): JsonObject => ({
  type,
  secretData: JSON.stringify(secret),
  credentialData: JSON.stringify(data),
  ...more,
});

/**
 * Returns the password, the authenticator app and the passkeys. Formats: Keycloak's PasswordCredentialData,
 * Argon2PasswordHashProvider, OTPCredentialData and WebAuthnCredentialData.
 */
export function toCredentials(customer: ExportedCustomer, differences: Differences): JsonObject[] {
  const password = convertPassword(customer, differences, (hash) => toPassword(hash, differences));
  return [
    ...(password ? [password] : []),
    ...(customer.totpSecret ? [toOtp(customer.totpSecret)] : []),
    ...toPasskeys(customer, differences),
  ];
}

function toPassword(hash: PortableHash, differences: Differences): JsonObject | null {
  if (hash.scheme === 'bcrypt') {
    // The credential is still exported, for realms with an extension that verifies it.
    differences.leaveOut('passwordHash', BCRYPT);
    const data = { hashIterations: Number(hash.text.slice(4, 6)), algorithm: 'bcrypt' };
    return toCredential(
      'password',
      { value: hash.text, additionalParameters: {} },
      { ...data, additionalParameters: {} },
    );
  }
  if (hash.scheme !== 'argon2' && hash.scheme !== 'pbkdf2') return null;
  const secret = {
    value: hash.hash.toString('base64'),
    salt: hash.salt.toString('base64'),
    additionalParameters: {},
  };
  return toCredential('password', secret, hash.scheme === 'argon2' ? argon2Data(hash) : pbkdf2Data(hash));
}

const pbkdf2Data = ({ digest, iterations }: PortableHash & { scheme: 'pbkdf2' }): JsonObject => ({
  hashIterations: iterations,
  algorithm: digest === 'sha1' ? 'pbkdf2' : `pbkdf2-${digest}`,
  additionalParameters: {},
});

const argon2Data = ({
  type,
  memory,
  passes,
  lanes,
  hash,
}: PortableHash & { scheme: 'argon2' }): JsonObject => ({
  hashIterations: passes,
  algorithm: 'argon2',
  additionalParameters: {
    ...{ hashLength: [String(hash.length)], memory: [String(memory)], type: [type], version: ['1.3'] },
    parallelism: [String(lanes)],
  },
});

const toOtp = (secret: string): JsonObject =>
  toCredential(
    'otp',
    { value: secret },
    {
      ...{ subType: 'totp', digits: 6, counter: 0, period: 30, algorithm: 'HmacSHA1' },
      secretEncoding: 'BASE32',
    },
  );

function toPasskeys({ id, passkeys }: ExportedCustomer, differences: Differences): JsonObject[] {
  // Keycloak uses the user id's UTF-8 bytes as the user handle.
  const handle = Buffer.from(id).toString('base64url');
  const usable = (passkeys ?? []).filter(({ userHandle }) => (userHandle ?? handle) === handle);
  if (usable.length < (passkeys ?? []).length) differences.leaveOut('passkeys', OTHER_HANDLE);
  if (usable.length > 0) differences.change('passkeys', NO_PASSKEY_DETAILS);
  return usable.map(({ credentialId, publicKey, counter, aaguid, transports, name, createdAt }) => {
    const [keyId, key] = [credentialId, publicKey].map((text) =>
      Buffer.from(text, 'base64url').toString('base64'),
    );
    const data = {
      ...{ credentialId: keyId, credentialPublicKey: key, counter: counter ?? 0 },
      ...{ transports: transports ?? [], attestationStatementFormat: 'none' },
      ...(aaguid && { aaguid }),
    };
    return toCredential('webauthn-passwordless', {}, data, {
      ...(name && { userLabel: name }),
      ...(createdAt && { createdDate: Date.parse(createdAt) }),
    });
  });
}
