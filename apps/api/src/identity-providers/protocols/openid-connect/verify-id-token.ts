import type { JWTVerifyGetKey } from 'jose';
import { CLOCK_LEEWAY_SECONDS, invalidField, isNumericDate } from '@gatehouse/domain';
import { decodeBase64Url } from '@gatehouse/platform';
import type { VerifiedAppToken } from '../identity-protocol.js';

/** Accepted id token algorithms. A symmetric algorithm would make the client secret a signing key. */
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'];

/** Maximum age of an id token, in seconds. Apps send it as soon as they have received it. */
const MAX_AGE_SECONDS = 60 * 60;

/** The values that an id token must contain. */
export interface IdTokenConditions {
  issuer: string;
  /** The client ids. One of them must be the audience. */
  audience: string[];
  /** The nonce that the app has sent. Undefined if the app cannot read the nonce of its SDK. */
  nonce: string | undefined;
  requireNonce: boolean;
}

/**
 * Verifies an id token that an app has received from a provider.
 * @throws Error for an invalid id token; GatehouseError `validation_failed` if its expiry is not a time
 */
export async function verifyIdToken(
  idToken: string,
  keySet: JWTVerifyGetKey,
  { issuer, audience, nonce, requireNonce }: IdTokenConditions,
  time: Date,
): Promise<VerifiedAppToken> {
  const parts = idToken.split('.');
  // jose ignores padding, whitespace and unused bits, so one token would have several accepted encodings.
  if (parts.length !== 3 || parts.some((part) => decodeBase64Url(part) === null))
    throw new Error('the id token is not canonical');
  const { jwtVerify } = await import('jose');
  const { payload } = await jwtVerify(idToken, keySet, {
    issuer,
    audience,
    algorithms: ALGORITHMS,
    requiredClaims: ['sub', 'iat', 'exp'],
    maxTokenAge: MAX_AGE_SECONDS,
    clockTolerance: CLOCK_LEEWAY_SECONDS,
    currentDate: time,
  });
  if (!isNumericDate(payload.exp))
    throw invalidField('idToken', 'invalid', 'idToken contains an invalid expiry time');
  // A token with another audience may have been issued to that audience's app (OpenID Connect Core, section
  // 3.1.3.7).
  if ([payload.aud].flat().some((each) => !audience.includes(String(each))))
    throw new Error('the id token has another audience');
  if (requireNonce && !nonce) throw new Error('the request contains no nonce');
  // Without a nonce in the request, the token's nonce is ignored, because the provider's SDK may have created
  // it.
  if (nonce !== undefined && payload['nonce'] !== nonce) throw new Error('the nonce is not correct');
  const lastSecond = Math.min(payload.exp, payload.iat! + MAX_AGE_SECONDS) + CLOCK_LEEWAY_SECONDS;
  return {
    claims: payload,
    signedText: `${parts[0]}.${parts[1]}`,
    issuedAt: new Date(payload.iat! * 1_000),
    acceptedUntil: new Date((lastSecond + 1) * 1_000),
  };
}
