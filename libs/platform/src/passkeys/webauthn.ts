import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import { CEREMONY_TTL, isAllowedOrigin, type RelyingParty } from '@gatehouse/domain';
import { decodeBase64Url } from '../crypto/base64url.js';

export type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON };

/** The response of an authenticator to a request for a new passkey, in base64url. */
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

/** A passkey, as a browser refers to it. */
interface Credential {
  credentialId: Buffer;
  transports: string[];
}

/** ES256, EdDSA and RS256: what authenticators support. */
const ALGORITHMS = [-7, -8, -257];

/** Only processes that use passkeys load the library: it takes 8 MB of memory. */
const loadLibrary = () => import('@simplewebauthn/server');
const loadHelpers = () => import('@simplewebauthn/server/helpers');

/** Returns the options for `navigator.credentials.create()`. @param existing the passkeys that the customer has already */
export async function passkeyCreationOptions(
  relyingParty: RelyingParty,
  challenge: Buffer,
  user: { id: Buffer; name: string; displayName: string },
  existing: Credential[],
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await loadLibrary();
  return generateRegistrationOptions({
    rpID: relyingParty.id,
    rpName: relyingParty.name,
    challenge: new Uint8Array(challenge),
    userID: new Uint8Array(user.id),
    userName: user.name,
    userDisplayName: user.displayName,
    timeout: CEREMONY_TTL * 1000,
    excludeCredentials: existing.map(describeCredential),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
  });
}

/** Returns the options for `navigator.credentials.get()`. @param allowed null for any passkey of the site */
export async function passkeyRequestOptions(
  relyingParty: RelyingParty,
  challenge: Buffer,
  allowed: Credential[] | null,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await loadLibrary();
  return generateAuthenticationOptions({
    rpID: relyingParty.id,
    challenge: new Uint8Array(challenge),
    timeout: CEREMONY_TTL * 1000,
    userVerification: 'required',
    ...(allowed ? { allowCredentials: allowed.map(describeCredential) } : {}),
  });
}

/** Returns the challenge that a response contains, or null if it is unreadable. */
export function readPasskeyChallenge({ response }: { response: { clientDataJSON: string } }): Buffer | null {
  try {
    const { challenge } = readClientData(response.clientDataJSON);
    return typeof challenge === 'string' ? decodeBase64Url(challenge) : null;
  } catch {
    return null;
  }
}

/**
 * Verifies the response for a new passkey (WebAuthn, section 7.1), except that the attestation is ignored: Gatehouse
 * requests none, and its verification would send requests to URLs that the client chooses.
 * @throws Error if the response is not valid
 */
export async function verifyPasskeyRegistration(
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
 * Verifies the signature of a passkey (WebAuthn, section 7.2), but not its counter. The library would compare the counter
 * before it verifies the signature, so that anyone could report a copied passkey.
 * @throws Error if the response is not valid
 */
export async function verifyPasskeyAssertion(
  relyingParty: RelyingParty,
  challenge: Buffer,
  { id, rawId, type, response }: PasskeyAssertion,
  { publicKey }: { publicKey: Buffer },
): Promise<{ counter: number; backedUp: boolean }> {
  const { verifyAuthenticationResponse } = await loadLibrary();
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: { id, rawId, type, response, clientExtensionResults: {} },
    ...expectations(relyingParty, challenge, response.clientDataJSON),
    credential: { id, publicKey: new Uint8Array(publicKey), counter: 0 },
  });
  if (!verified) throw new Error('the signature is not correct');
  return { counter: authenticationInfo.newCounter, backedUp: authenticationInfo.credentialBackedUp };
}

/** Returns what a response must contain. @throws Error if its origin is not allowed */
function expectations(relyingParty: RelyingParty, challenge: Buffer, clientDataJSON: string) {
  const { origin, crossOrigin } = readClientData(clientDataJSON);
  if (typeof origin !== 'string' || !isAllowedOrigin(relyingParty, origin))
    throw new Error(`the origin ${String(origin)} is not allowed`);
  // Otherwise another site could use the passkey in a frame.
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
