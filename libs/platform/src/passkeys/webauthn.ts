import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import { CEREMONY_TTL, isAllowedOrigin, type RelyingParty } from '@gatehouse/domain';
import { decodeBase64Url } from '../crypto/base64url.js';
import { sha256 } from '../crypto/hashes.js';
import { secureBytes } from '../crypto/random.js';

export type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON };

/** The response of an authenticator that has created a passkey, in base64url. */
export interface PasskeyRegistration {
  id: string;
  rawId: string;
  type: 'public-key';
  response: { clientDataJSON: string; attestationObject: string; transports?: string[] };
}

/** The response of an authenticator that has signed a challenge, in base64url. */
export interface PasskeyAssertion {
  id: string;
  rawId: string;
  type: 'public-key';
  response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string };
}

/** The part of a passkey that is sent to the browser. */
interface Credential {
  credentialId: Buffer;
  transports: string[];
}

/** A passkey registration or assertion. The caller stores the challenge's hash. */
export interface WebAuthnCeremony<Consumed> {
  relyingParty: RelyingParty;
  saveChallenge: (hash: Buffer) => Promise<void>;
  /** Consumes the challenge. Only one of several parallel calls returns a truthy value. */
  consumeChallenge: (hash: Buffer) => Promise<Consumed | null>;
  /**
   * Returns the error for a rejected response.
   * @param cause for the log; the reason why the response is not valid
   */
  reject: (cause?: unknown) => Error;
}

/** ES256, EdDSA and RS256. */
const ALGORITHMS = [-7, -8, -257];

/** Loads the library on demand, because it uses 8 MB of memory. */
const loadLibrary = () => import('@simplewebauthn/server');
const loadHelpers = () => import('@simplewebauthn/server/helpers');

/**
 * Returns the options for `navigator.credentials.create()`.
 * @param existing the passkeys that the user already has
 */
export async function beginPasskeyRegistration(
  { relyingParty, saveChallenge }: WebAuthnCeremony<unknown>,
  user: { id: string; name: string; displayName: string },
  existing: Credential[],
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await loadLibrary();
  return generateRegistrationOptions({
    rpID: relyingParty.id,
    rpName: relyingParty.name,
    challenge: await newChallenge(saveChallenge),
    // The user handle must not contain personal data (WebAuthn, section 14.6.1).
    userID: new Uint8Array(Buffer.from(user.id.replaceAll('-', ''), 'hex')),
    userName: user.name,
    userDisplayName: user.displayName,
    timeout: CEREMONY_TTL * 1000,
    excludeCredentials: existing.map(describeCredential),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
  });
}

/**
 * Returns the options for `navigator.credentials.get()`.
 * @param allowed null for any passkey of the site
 */
export async function beginPasskeyAssertion(
  { relyingParty, saveChallenge }: WebAuthnCeremony<unknown>,
  allowed: Credential[] | null,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await loadLibrary();
  return generateAuthenticationOptions({
    rpID: relyingParty.id,
    challenge: await newChallenge(saveChallenge),
    timeout: CEREMONY_TTL * 1000,
    userVerification: 'required',
    ...(allowed ? { allowCredentials: allowed.map(describeCredential) } : {}),
  });
}

/**
 * Verifies the response for a new passkey (WebAuthn, section 7.1) and consumes the challenge. The attestation is
 * ignored: Gatehouse does not request one, and verifying it would send requests to URLs that the client chooses.
 * @throws the error from `ceremony.reject`
 */
export async function verifyPasskeyRegistration<Consumed>(
  ceremony: WebAuthnCeremony<Consumed>,
  registration: PasskeyRegistration,
) {
  const { challenge, consumed } = await consumeChallenge(ceremony, registration);
  try {
    return { passkey: await readRegistration(ceremony.relyingParty, challenge, registration), consumed };
  } catch (cause) {
    throw ceremony.reject(cause);
  }
}

async function readRegistration(
  relyingParty: RelyingParty,
  challenge: Buffer,
  { id, rawId, type, response }: PasskeyRegistration,
) {
  const [{ verifyRegistrationResponse }, { decodeAttestationObject, isoBase64URL, isoCBOR }] =
    await Promise.all([loadLibrary(), loadHelpers()]);
  const { clientDataJSON, transports = [] } = response;
  const authData = decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject)).get('authData');
  const unattested = new Map<string, unknown>([
    ['fmt', 'none'],
    ['attStmt', new Map()],
    ['authData', authData],
  ]);
  const attestationObject = isoBase64URL.fromBuffer(isoCBOR.encode(unattested as never));
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: {
      id,
      rawId,
      type,
      response: { clientDataJSON, attestationObject },
      clientExtensionResults: {},
    },
    ...expectations(relyingParty, challenge, clientDataJSON),
    supportedAlgorithmIDs: ALGORITHMS,
  });
  if (!verified) throw new Error('the registration is not verified');
  const { credential, credentialDeviceType, credentialBackedUp, aaguid } = registrationInfo;
  return {
    credentialId: Buffer.from(credential.id, 'base64url'),
    publicKey: Buffer.from(credential.publicKey),
    counter: credential.counter,
    transports,
    deviceBound: credentialDeviceType === 'singleDevice',
    backedUp: credentialBackedUp,
    aaguid,
  };
}

/**
 * Verifies a passkey's signature (WebAuthn, section 7.2) and consumes the challenge, but does not verify the counter.
 * The library compares the counter before it verifies the signature, so anyone could trigger a false report of a copied
 * passkey.
 * @param find returns the passkey that the caller accepts, or null
 * @throws the error from `ceremony.reject`
 */
export async function verifyPasskeyAssertion<Consumed, Passkey extends { publicKey: Buffer }>(
  ceremony: WebAuthnCeremony<Consumed>,
  assertion: PasskeyAssertion,
  find: (credentialId: Buffer) => Promise<Passkey | null>,
): Promise<{ passkey: Passkey; counter: number; backedUp: boolean; consumed: Consumed }> {
  const { challenge, consumed } = await consumeChallenge(ceremony, assertion);
  const { id, rawId, type, response } = assertion;
  const passkey = await find(Buffer.from(id, 'base64url'));
  if (!passkey) throw ceremony.reject();
  try {
    const { verifyAuthenticationResponse } = await loadLibrary();
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { id, rawId, type, response, clientExtensionResults: {} },
      ...expectations(ceremony.relyingParty, challenge, response.clientDataJSON),
      credential: { id, publicKey: new Uint8Array(passkey.publicKey), counter: 0 },
    });
    if (!verified) throw new Error('the signature is not correct');
    const { newCounter: counter, credentialBackedUp: backedUp } = authenticationInfo;
    return { passkey, counter, backedUp, consumed };
  } catch (cause) {
    throw ceremony.reject(cause);
  }
}

async function newChallenge(save: (hash: Buffer) => Promise<void>): Promise<Uint8Array<ArrayBuffer>> {
  const challenge = secureBytes(32);
  await save(sha256(challenge));
  return new Uint8Array(challenge);
}

/** Consumes a response's challenge, even if the response turns out to be invalid (requirement MF-06). */
async function consumeChallenge<Consumed>(
  ceremony: WebAuthnCeremony<Consumed>,
  response: PasskeyRegistration | PasskeyAssertion,
): Promise<{ challenge: Buffer; consumed: Consumed }> {
  const challenge = readChallenge(response);
  const consumed = challenge && (await ceremony.consumeChallenge(sha256(challenge)));
  if (!challenge || !consumed) throw ceremony.reject();
  return { challenge, consumed };
}

/** Returns the challenge in a response, or null if it is unreadable. */
function readChallenge({ response }: { response: { clientDataJSON: string } }): Buffer | null {
  try {
    const { challenge } = readClientData(response.clientDataJSON);
    return typeof challenge === 'string' ? decodeBase64Url(challenge) : null;
  } catch {
    return null;
  }
}

/**
 * Returns the values that a response must contain.
 * @throws Error if the origin is not allowed or the page is in another site's frame
 */
function expectations(relyingParty: RelyingParty, challenge: Buffer, clientDataJSON: string) {
  const { origin, crossOrigin } = readClientData(clientDataJSON);
  if (typeof origin !== 'string' || !isAllowedOrigin(relyingParty, origin))
    throw new Error(`the origin ${String(origin)} is not allowed`);
  // Prevents another site from using the passkey in a frame.
  if (crossOrigin === true) throw new Error('the page is a frame of another site');
  return {
    expectedChallenge: challenge.toString('base64url'),
    expectedOrigin: origin,
    expectedRPID: relyingParty.id,
    requireUserVerification: true,
  };
}

function readClientData(clientDataJSON: string): Record<string, unknown> {
  const parsed: unknown = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString());
  if (typeof parsed !== 'object' || parsed === null) throw new Error('the client data is not an object');
  return parsed as Record<string, unknown>;
}

const describeCredential = ({ credentialId, transports }: Credential) => ({
  id: credentialId.toString('base64url'),
  transports,
});
