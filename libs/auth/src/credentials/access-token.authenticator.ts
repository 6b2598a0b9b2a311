import { Injectable } from '@nestjs/common';
import { SessionsRepository } from '@gatehouse/persistence';
import { AccessTokens, customerIdOf } from '../tokens/access-tokens.js';
import type { CustomerCaller } from './caller.js';

/** Authenticates customers by their access tokens. */
@Injectable()
export class AccessTokenAuthenticator {
  constructor(
    private readonly tokens: AccessTokens,
    private readonly sessions: SessionsRepository,
  ) {}

  /**
   * Returns null if the token is expired or from another issuer, or if its session or customer is no longer
   * active.
   */
  async authenticate(token: string): Promise<CustomerCaller | null> {
    const claims = this.tokens.verify(token);
    if (!claims) return null;
    const found = await this.sessions.findActiveCustomer(claims.sid, customerIdOf(claims), claims.aud);
    return found && { kind: 'access-token', ...found, sessionId: claims.sid };
  }

  describeRejection(token: string): string {
    const reason = this.tokens.findRejectionReason(token);
    if (reason === 'malformed')
      return 'The access token is malformed. Send the accessToken of a sign-in or refresh, complete and unchanged.';
    const problem = reason === 'expired' ? 'has expired' : 'is from another issuer, or its session has ended';
    return `The access token ${problem}. Refresh the tokens, or sign in again.`;
  }
}
