import { Injectable } from '@nestjs/common';
import { JwtService, TokenExpiredError } from '@nestjs/jwt';
import {
  isUuid,
  profileClaims,
  reservedClaims,
  type AuthenticationMethod,
  type CustomerIdentity,
  type TokenProject,
} from '@gatehouse/domain';
import { Config, decodeBase64Url, newRandomId, now } from '@gatehouse/platform';
import { LRUCache } from 'lru-cache';
import { SigningKeyRing, type SigningKey } from './signing-key-ring.js';

const TOKEN_TYPE = 'at+jwt';

/** Tolerance for clock skew between replicas, in seconds. */
const LEEWAY_SECONDS = 5;

/** Maximum number of verified tokens in the cache. A customer sends the same token until it expires or is refreshed. */
const VERIFIED_TOKEN_CACHE_SIZE = 10_000;

/**
 * Access token claims (RFC 9068; contract, section 3), without the project's `accessTokenClaims`. Times are Unix
 * timestamps in seconds.
 */
export interface AccessTokenClaims {
  iss: string;
  /** Project id. */
  aud: string;
  /** Customer id, or the customer's `externalId` if the project's `tokenSubject` is `externalId`. */
  sub: string;
  /** Customer id. Only in tokens for a project whose `tokenSubject` is `externalId`. */
  customer_id?: string;
  /** Session id. */
  sid: string;
  jti: string;
  iat: number;
  exp: number;
  email_verified: boolean;
  /** The session's authentication methods (RFC 8176). Absent from tokens that earlier versions issued. */
  amr?: AuthenticationMethod[];
  /** Last authentication time. Absent from tokens that earlier versions issued. */
  auth_time?: number;
}

/** The session data that access tokens contain. */
export interface TokenSession {
  id: string;
  amr: AuthenticationMethod[];
  /** Last authentication time. */
  authTime: Date;
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

  /**
   * Returns an access token for the session. It is signed with the project's `signingAlgorithm` and valid for its
   * `accessTokenTtl`, in seconds.
   */
  sign(customer: CustomerIdentity, session: TokenSession, project: TokenProject): string {
    const key = this.ring.getCurrentKey(project.settings.signingAlgorithm);
    const isExternal = project.settings.tokenSubject === 'externalId';
    return this.jwt.sign(
      {
        ...customClaims(customer, project),
        ...(isExternal && { customer_id: customer.id }),
        sid: session.id,
        email_verified: customer.emailVerified,
        amr: session.amr,
        auth_time: Math.floor(session.authTime.getTime() / 1000),
      },
      {
        // The @nestjs/jwt types do not include KeyObject. Signing with a PEM key takes ten times as long.
        privateKey: key.privateKey as unknown as string,
        algorithm: key.algorithm,
        header: { alg: key.algorithm, typ: TOKEN_TYPE, kid: key.kid },
        issuer: this.config.publicUrl,
        audience: project.id,
        subject: isExternal ? (customer.externalId ?? customer.id) : customer.id,
        jwtid: newRandomId(),
        expiresIn: project.settings.accessTokenTtl,
      },
    );
  }

  /**
   * Returns the claims of an authentic, unexpired token, or null. The caller must still check that the
   * session is active.
   */
  verify(token: string): AccessTokenClaims | null {
    const verified = this.verified.get(token) ?? this.verifySignature(token);
    if (!verified) return null;
    const isExpired = verified.claims.exp + LEEWAY_SECONDS <= now().getTime() / 1000;
    if (isExpired || this.ring.find(verified.key.kid) !== verified.key) {
      this.verified.delete(token);
      return null;
    }
    return verified.claims;
  }

  /**
   * Returns why `verify` rejects a token: `malformed` if it is not a JWT, `expired` if it is authentic but expired,
   * otherwise null.
   */
  findRejectionReason(token: string): 'malformed' | 'expired' | null {
    const header = readHeader(token);
    if (!header) return 'malformed';
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
      algorithms: [key.algorithm],
      issuer: this.config.publicUrl,
      clockTolerance: LEEWAY_SECONDS,
    });
  }

  /** Verifies the signature and caches the result, because verification is the most expensive part of a request. */
  private verifySignature(token: string): VerifiedToken | null {
    const header = readHeader(token);
    if (header?.['typ'] !== TOKEN_TYPE || 'crit' in header) return null;
    const key = this.ring.find(String(header['kid']));
    if (!key || header['alg'] !== key.algorithm) return null;
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

/** Returns the project's custom claims. Ignores reserved names, even if the settings contain them. */
function customClaims(customer: CustomerIdentity, { settings }: TokenProject): Record<string, unknown> {
  const { publicMetadata, email } = customer;
  const values: Record<string, unknown> = { ...publicMetadata, email };
  for (const name of profileClaims)
    if (!Object.hasOwn(values, name)) values[name] = customer[name] ?? undefined;
  return Object.fromEntries(
    settings.accessTokenClaims
      .filter((name) => !reservedClaims.has(name) && Object.hasOwn(values, name))
      .map((name) => [name, values[name]]),
  );
}

/** Returns the customer's id from a token, whatever its `sub` contains (docs/adr/0105). */
export const customerIdOf = ({ customer_id: id, sub }: AccessTokenClaims): string => id ?? sub;

const hasEveryClaim = (claims: AccessTokenClaims): boolean =>
  [claims.aud, customerIdOf(claims), claims.sid, claims.jti].every(isUuid) &&
  typeof claims.sub === 'string' &&
  Number.isInteger(claims.iat) &&
  Number.isInteger(claims.exp);

/**
 * Returns a JWT's header, or null unless all three parts are canonical base64url. jsonwebtoken ignores the unused bits
 * in the last character and would accept several spellings of the same token.
 */
function readHeader(token: string): Record<string, unknown> | null {
  const parts = token.split('.').map(decodeBase64Url);
  if (parts.length !== 3 || parts.includes(null)) return null;
  try {
    const header: unknown = JSON.parse(parts[0]!.toString());
    return typeof header === 'object' && header !== null ? (header as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
