import { Injectable } from '@nestjs/common';
import { JwtService, TokenExpiredError } from '@nestjs/jwt';
import { isUuid, reservedClaims, type CustomerIdentity, type TokenProject } from '@gatehouse/domain';
import { Config, newRandomId, now } from '@gatehouse/platform';
import { LRUCache } from 'lru-cache';
import { SigningKeyRing, type SigningKey } from './signing-key-ring.js';

const ALGORITHM = 'ES256';
const TOKEN_TYPE = 'at+jwt';

/** Clocks of two replicas may differ by this many seconds. */
const LEEWAY_SECONDS = 5;

/** How many verified tokens are remembered: a customer sends the same one for up to an hour. */
const VERIFIED_TOKEN_CACHE_SIZE = 10_000;

/**
 * What an access token says (RFC 9068; contract, section 3), beside the claims of the project's
 * `accessTokenClaims`. Times in seconds since 1970.
 */
export interface AccessTokenClaims {
  iss: string;
  /** Project id. */
  aud: string;
  /** Customer id. */
  sub: string;
  /** Session id. */
  sid: string;
  jti: string;
  iat: number;
  exp: number;
  email_verified: boolean;
}

interface VerifiedToken {
  claims: AccessTokenClaims;
  key: SigningKey;
}

/** Signs and verifies customers' access tokens. */
@Injectable()
export class AccessTokens {
  private readonly verified = new LRUCache<string, VerifiedToken>({ max: VERIFIED_TOKEN_CACHE_SIZE });

  constructor(
    private readonly jwt: JwtService,
    private readonly ring: SigningKeyRing,
    private readonly config: Config,
  ) {}

  /** A token of the customer's session, good for the project's `accessTokenTtl` seconds. */
  sign(customer: CustomerIdentity, sessionId: string, project: TokenProject): string {
    const key = this.ring.getCurrentKey();
    return this.jwt.sign(
      { ...customClaims(customer, project), sid: sessionId, email_verified: customer.emailVerified },
      {
        // @nestjs/jwt's types lack KeyObject; from PEM the same signature takes ten times as long.
        privateKey: key.privateKey as unknown as string,
        algorithm: ALGORITHM,
        header: { alg: ALGORITHM, typ: TOKEN_TYPE, kid: key.kid },
        issuer: this.config.publicUrl,
        audience: project.id,
        subject: customer.id,
        jwtid: newRandomId(),
        expiresIn: project.settings.accessTokenTtl,
      },
    );
  }

  /** The claims of a genuine, unexpired token, or null. The caller still has to see that the session lives. */
  verify(token: string): AccessTokenClaims | null {
    const known = this.verified.get(token) ?? this.verifySignature(token);
    if (!known) return null;
    const isExpired = known.claims.exp + LEEWAY_SECONDS <= now().getTime() / 1000;
    if (isExpired || this.ring.find(known.key.kid) !== known.key) {
      this.verified.delete(token);
      return null;
    }
    return known.claims;
  }

  /** Returns why `verify` rejects a token, for the error's detail; null unless it is no JWT, or genuine but expired. */
  findRejectionReason(token: string): 'malformed' | 'expired' | null {
    const header = readHeader(token);
    if (!header || token.split('.').length !== 3) return 'malformed';
    const key = header['typ'] === TOKEN_TYPE ? this.ring.find(String(header['kid'])) : undefined;
    if (!key) return null;
    try {
      this.verifyWith(key, token);
      return null;
    } catch (error) {
      // jsonwebtoken verifies the signature before the expiry.
      return error instanceof TokenExpiredError ? 'expired' : null;
    }
  }

  private verifyWith(key: SigningKey, token: string): AccessTokenClaims {
    return this.jwt.verify<AccessTokenClaims>(token, {
      publicKey: key.publicKey as unknown as string,
      algorithms: [ALGORITHM],
      issuer: this.config.publicUrl,
      clockTolerance: LEEWAY_SECONDS,
    });
  }

  /** The signature is most of the cost of a request, and the same every time. */
  private verifySignature(token: string): VerifiedToken | null {
    const header = readHeader(token);
    if (header?.['typ'] !== TOKEN_TYPE || header['alg'] !== ALGORITHM || 'crit' in header) return null;
    const key = this.ring.find(String(header['kid']));
    if (!key) return null;
    try {
      const claims = this.verifyWith(key, token);
      if (!hasEveryClaim(claims)) return null;
      const verified = { claims, key };
      this.verified.set(token, verified);
      return verified;
    } catch {
      return null;
    }
  }
}

/** From `publicMetadata` alone. A reserved name gets nowhere, however it came into the settings. */
const customClaims = (
  { publicMetadata }: CustomerIdentity,
  { settings }: TokenProject,
): Record<string, unknown> =>
  Object.fromEntries(
    settings.accessTokenClaims
      .filter((name) => !reservedClaims.has(name) && Object.hasOwn(publicMetadata, name))
      .map((name) => [name, publicMetadata[name]]),
  );

const hasEveryClaim = (claims: AccessTokenClaims): boolean =>
  [claims.aud, claims.sub, claims.sid, claims.jti].every(isUuid) &&
  Number.isInteger(claims.iat) &&
  Number.isInteger(claims.exp);

function readHeader(token: string): Record<string, unknown> | null {
  try {
    const header: unknown = JSON.parse(Buffer.from(token.split('.', 1)[0]!, 'base64url').toString());
    return typeof header === 'object' && header !== null ? (header as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
