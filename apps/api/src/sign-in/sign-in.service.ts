import { Injectable } from '@nestjs/common';
import { AccessTokens, RefreshTokens, type TokenSession } from '@gatehouse/auth';
import {
  GatehouseError,
  type AuthenticationMethod,
  type Customer,
  type CustomerIdentity,
  type ProjectContext,
  type TokenProject,
} from '@gatehouse/domain';
import { EventsRepository, SessionsRepository, type Tx } from '@gatehouse/persistence';
import { newId } from '@gatehouse/platform';
import { CustomerSummary } from '../customers/dto/customer.response.js';
import { customerEvent } from '../events/customer-events.js';
import type { Client } from '../http/request-context.js';
import { SessionResponse } from '../sessions/dto/session.response.js';
import { SessionsService } from '../sessions/sessions.service.js';
import type { AuthResponse } from './dto/auth.response.js';
import type { AccessTokenResponse, TokensResponse } from './dto/tokens.response.js';

/** The rules of a project that a customer can fail to meet, as error codes. */
type SignInRefusal = 'customer_disabled' | 'email_not_verified';

/** The proof of identity with which a customer signs in. */
interface Proof {
  amr: AuthenticationMethod[];
  /** Default: now. */
  authTime?: Date;
}

/** Completes sign-ins: every method of signing in ends here (sign-in contract, section 1). */
@Injectable()
export class SignInService {
  constructor(
    private readonly sessions: SessionsRepository,
    private readonly sessionsService: SessionsService,
    private readonly events: EventsRepository,
    private readonly accessTokens: AccessTokens,
    private readonly refreshTokens: RefreshTokens,
  ) {}

  /** Returns why a customer may not sign in to a project, whatever the method; null if they may. */
  findRefusal({ settings }: ProjectContext, customer: Customer): SignInRefusal | null {
    if (customer.disabledAt) return 'customer_disabled';
    const needsVerifiedEmail = settings.requireVerifiedEmail || settings.enumerationProtection;
    return needsVerifiedEmail && !customer.emailVerified ? 'email_not_verified' : null;
  }

  /**
   * Opens the session of a customer who has proven their identity, and ends the sessions that exceed the limit. The
   * transaction must have locked the row of the customer, so that concurrent sign-ins count each other's sessions.
   * Nothing else opens a session.
   * @param options `isNew` if the customer has just been created: only the event of the session is recorded
   * @throws GatehouseError the refusal of the project
   */
  async complete(
    tx: Tx,
    project: ProjectContext,
    customer: Customer,
    { amr, authTime }: Proof,
    client: Client,
    { isNew = false } = {},
  ): Promise<AuthResponse> {
    const refusal = this.findRefusal(project, customer);
    if (refusal) throw new GatehouseError(refusal);
    const id = newId();
    const refresh = this.refreshTokens.issueFirst(id);
    const { session, otherSessions } = await this.sessions.insert(tx, {
      id,
      customerId: customer.id,
      refreshHash: refresh.hash,
      idleTtl: project.settings.refreshIdleTtl,
      absoluteTtl: project.settings.refreshAbsoluteTtl,
      amr,
      authTime: authTime ?? null,
      ip: client.ip,
      addressBlock: client.addressBlock,
      userAgent: client.userAgent,
    });
    const data = { session: SessionResponse.from(session) };
    this.events.record(tx, [
      ...(await this.sessionsService.endSurplus(tx, customer, project, id, otherSessions)),
      ...(isNew ? [] : [customerEvent('login.succeeded', customer, project, { ...data, methods: amr })]),
      customerEvent('session.created', customer, project, data),
    ]);
    const opened = { id, amr, authTime: authTime ?? session.createdAt };
    return {
      tokens: this.issueTokens(customer, opened, project, refresh.token),
      customer: CustomerSummary.from(customer),
    };
  }

  /** Returns a new access token of a session, together with the given refresh token. */
  issueTokens(
    customer: CustomerIdentity,
    session: TokenSession,
    project: TokenProject,
    refreshToken: string,
  ): TokensResponse {
    return { ...this.issueAccessToken(customer, session, project), refreshToken };
  }

  /** Returns a new access token of a session, with its lifetime in seconds. */
  issueAccessToken(
    customer: CustomerIdentity,
    session: TokenSession,
    project: TokenProject,
  ): AccessTokenResponse {
    return {
      accessToken: this.accessTokens.sign(customer, session, project),
      expiresIn: project.settings.accessTokenTtl,
    };
  }
}
