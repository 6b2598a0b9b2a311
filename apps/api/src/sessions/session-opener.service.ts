import { Injectable } from '@nestjs/common';
import { AccessTokens, RefreshTokens } from '@gatehouse/auth';
import type { Customer, CustomerIdentity, ProjectContext, TokenProject } from '@gatehouse/domain';
import { EventsRepository, SessionsRepository, type SessionRecord, type Tx } from '@gatehouse/persistence';
import { newId } from '@gatehouse/platform';
import type { Client } from '../http/request-context.js';
import type { TokensResponse } from './dto/tokens.response.js';
import { SessionsService } from './sessions.service.js';

/** Opens sessions and issues their tokens. */
@Injectable()
export class SessionOpenerService {
  constructor(
    private readonly sessions: SessionsRepository,
    private readonly sessionsService: SessionsService,
    private readonly events: EventsRepository,
    private readonly accessTokens: AccessTokens,
    private readonly refreshTokens: RefreshTokens,
  ) {}

  /**
   * Opens a session in the transaction of the login, and ends the sessions that exceed the limit. The
   * transaction must have locked the row of the customer, so that parallel logins count each other's
   * sessions.
   * @returns the session and its first tokens
   */
  async open(
    tx: Tx,
    customer: Customer,
    project: ProjectContext,
    client: Client,
  ): Promise<{ tokens: TokensResponse; session: SessionRecord }> {
    const id = newId();
    const refresh = this.refreshTokens.issueFirst(id);
    const { session, otherSessions } = await this.sessions.insert(tx, {
      id,
      customerId: customer.id,
      refreshHash: refresh.hash,
      idleTtl: project.settings.refreshIdleTtl,
      absoluteTtl: project.settings.refreshAbsoluteTtl,
      ip: client.ip,
      addressBlock: client.addressBlock,
      userAgent: client.userAgent,
    });
    this.events.record(tx, await this.sessionsService.endSurplus(tx, customer, project, id, otherSessions));
    return { tokens: this.issueTokens(customer, id, project, refresh.token), session };
  }

  /** Returns a new access token of a session, together with the given refresh token. */
  issueTokens(
    customer: CustomerIdentity,
    sessionId: string,
    project: TokenProject,
    refreshToken: string,
  ): TokensResponse {
    return {
      accessToken: this.accessTokens.sign(customer, sessionId, project),
      refreshToken,
      expiresIn: project.settings.accessTokenTtl,
    };
  }
}
