import { Injectable } from '@nestjs/common';
import { uuidToBytes, uuidFromBytes } from '@gatehouse/domain';
import { decodeBase64Url, Keyring, secureBytes, sha256 } from '@gatehouse/platform';

const PREFIX = 'rt_';
const SECRET_LENGTH = 32;
const MAC_LENGTH = 16;
const BODY_LENGTH = 16 + 4 + SECRET_LENGTH;

/** An authentic refresh token's content. */
export interface ParsedRefreshToken {
  sessionId: string;
  /** 1 for the first token of a session, incremented by each rotation. */
  generation: number;
  secret: Buffer;
  hash: Buffer;
}

export interface IssuedRefreshToken {
  token: string;
  /** The secret's SHA-256 hash. The rest of the token is not stored. */
  hash: Buffer;
}

/**
 * Issues opaque refresh tokens, which consist of a session id, a generation, a secret and a MAC. A session's first
 * secret is random. Each further secret is derived from the previous one, so that a repeated refresh returns the same
 * successor although no token is stored.
 */
@Injectable()
export class RefreshTokens {
  constructor(private readonly keyring: Keyring) {}

  issueFirst(sessionId: string): IssuedRefreshToken {
    return this.issue(sessionId, 1, secureBytes(SECRET_LENGTH));
  }

  issueSuccessor({ sessionId, generation, secret }: ParsedRefreshToken): IssuedRefreshToken {
    const body = encodeBody(sessionId, generation + 1, secret);
    return this.issue(sessionId, generation + 1, this.keyring.mac('refresh-successor', body));
  }

  /** Returns null for a string that this installation has not issued. */
  parse(token: string): ParsedRefreshToken | null {
    if (!token.startsWith(PREFIX)) return null;
    const bytes = decodeBase64Url(token.slice(PREFIX.length));
    if (bytes?.length !== BODY_LENGTH + MAC_LENGTH) return null;
    const body = bytes.subarray(0, BODY_LENGTH);
    if (!this.keyring.verifyMac('refresh-token', body, bytes.subarray(BODY_LENGTH))) return null;
    const sessionId = uuidFromBytes(body.subarray(0, 16));
    const secret = body.subarray(20);
    return sessionId ? { sessionId, generation: body.readUInt32BE(16), secret, hash: sha256(secret) } : null;
  }

  private issue(sessionId: string, generation: number, secret: Buffer): IssuedRefreshToken {
    const body = encodeBody(sessionId, generation, secret);
    const mac = this.keyring.mac('refresh-token', body).subarray(0, MAC_LENGTH);
    return { token: PREFIX + Buffer.concat([body, mac]).toString('base64url'), hash: sha256(secret) };
  }
}

function encodeBody(sessionId: string, generation: number, secret: Buffer): Buffer {
  const number = Buffer.alloc(4);
  number.writeUInt32BE(generation);
  return Buffer.concat([uuidToBytes(sessionId), number, secret]);
}
