import { Injectable } from '@nestjs/common';
import { RefreshTokens, type ParsedRefreshToken } from '@gatehouse/auth';
import { decideRefresh, GatehouseError, type ErrorCode } from '@gatehouse/domain';
import {
  EventsRepository,
  SessionsRepository,
  Transactions,
  type RefreshableSession,
  type RefreshedSession,
} from '@gatehouse/persistence';
import { now } from '@gatehouse/platform';
import { CustomerSummary } from '../customers/dto/customer.response.js';
import { assertOriginAllowed } from '../http/origin.guard.js';
import { assertWithinLimit, countInProject, type CountedRequest } from '../http/limits/address-limit.js';
import type { LinkClient } from '../http/request-context.js';
import type { RefreshResponse } from './dto/auth.response.js';
import { customerEvent } from '../events/customer-events.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { SignInService } from './sign-in.service.js';

const SIGN_IN_AGAIN = 'A newer proof of identity, or a second factor, is required. Sign in again.';

const refreshError = (code: ErrorCode, session?: RefreshedSession, detail?: string): GatehouseError =>
  new GatehouseError(code, {
    ...(detail ? { detail } : {}),
    status: 401,
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
    subject: session && { projectId: session.project.id, customerId: session.customer.id },
  });

/** Returns the error for a token without a session, and therefore without a project whose limit applies. */
async function createUnknownTokenError(counted: CountedRequest | undefined): Promise<GatehouseError> {
  await assertWithinLimit(counted, null);
  return refreshError('invalid_refresh_token');
}

/** Issues new tokens for an active session. */
@Injectable()
export class RefreshService {
  constructor(
    private readonly sessions: SessionsRepository,
    private readonly events: EventsRepository,
    private readonly transactions: Transactions,
    private readonly refreshTokens: RefreshTokens,
    private readonly signIn: SignInService,
    private readonly sessionsService: SessionsService,
  ) {}

  /**
   * Exchanges a refresh token for new tokens and invalidates it (RFC 9700, section 4.14).
   * @throws GatehouseError `rate_limited`, `invalid_refresh_token`, `refresh_token_expired`, `refresh_token_reused`,
   *   `reauthentication_required`
   */
  async refresh(token: string, { origin, counted }: LinkClient): Promise<RefreshResponse> {
    const presented = this.refreshTokens.parse(token);
    if (!presented) throw await createUnknownTokenError(counted);
    if (origin) await this.assertOrigin(origin, presented.sessionId);
    const successor = this.refreshTokens.issueSuccessor(presented);
    const session = await this.exchange(presented, successor.hash, counted);
    return {
      tokens: this.signIn.issueTokens(session.customer, session, session.project, successor.token),
      customer: CustomerSummary.from(session.customer),
    };
  }

  /**
   * Checks the origin before the token is invalidated, because a page from a disallowed origin must not end the
   * customer's session.
   */
  private async assertOrigin(origin: string, sessionId: string): Promise<void> {
    const session = await this.sessions.findRefreshable(sessionId);
    if (session) assertOriginAllowed(origin, session.project.settings);
  }

  /**
   * Rotates the token, or returns its session if the token may still be exchanged for the same successor. The project
   * is unknown until the session is read. The rotating statement therefore compares the project's limit with the
   * refreshes from the address in all projects. If that number is within the limit, so is the number in this project.
   * Otherwise, the session is read first (ADR 0060).
   * @throws GatehouseError `rate_limited`, and the same codes as `getReplayable`
   */
  private async exchange(
    presented: ParsedRefreshToken,
    successorHash: Buffer,
    counted: CountedRequest | undefined,
  ): Promise<RefreshedSession> {
    const { sessionId, generation, hash } = presented;
    const rotated = await this.sessions.rotate(
      sessionId,
      generation,
      hash,
      successorHash,
      counted?.count ?? 0,
    );
    if (rotated) {
      if (counted) await countInProject(counted, rotated.project);
      return rotated;
    }
    const session = await this.sessions.findRefreshable(sessionId);
    if (!session) throw await createUnknownTokenError(counted);
    await assertWithinLimit(counted, session.project);
    // The count includes refreshes in other projects. This project's limit was not exceeded, so the token is exchanged
    // without the comparison.
    if (counted && counted.count > session.project.settings.limits.refresh)
      return this.exchange(presented, successorHash, undefined);
    return this.getReplayable(session, presented, successorHash);
  }

  /**
   * Returns the session if a token that is not the newest may still be exchanged for the same successor.
   * @throws GatehouseError `invalid_refresh_token`, `refresh_token_expired`, `refresh_token_reused`,
   * `reauthentication_required`
   */
  private async getReplayable(
    session: RefreshableSession,
    presented: ParsedRefreshToken,
    successorHash: Buffer,
  ): Promise<RefreshedSession> {
    const decision = decideRefresh(
      session.chain,
      presented.generation,
      session.project.settings.refreshGrace,
      now(),
    );
    if (decision === 'expired') throw refreshError('refresh_token_expired', session);
    if (decision === 'ended') throw refreshError('invalid_refresh_token', session);
    const isPredecessor =
      decision === 'same-successor' &&
      session.previousHash?.equals(presented.hash) &&
      successorHash.equals(session.currentHash);
    // An active session's newest token is always rotated, unless another proof of identity has become required.
    const isNewest = session.currentHash.equals(presented.hash);
    if (isNewest || (isPredecessor && session.needsProof))
      throw refreshError('reauthentication_required', session, SIGN_IN_AGAIN);
    if (isPredecessor) return session;
    await this.revokeReused(session);
    throw refreshError('refresh_token_reused', session);
  }

  /** Revokes the session permanently. */
  private async revokeReused({ id, customer, project }: RefreshableSession): Promise<void> {
    // oxlint-disable-next-line gatehouse/joined-transactions -- the refresh fails
    await this.transactions.run(async (tx) => {
      const [revoked] = await this.sessionsService.endSession(tx, customer, project, id, 'reuse_detected');
      if (!revoked) return;
      const { session } = revoked.data;
      this.events.record(tx, [
        customerEvent('token.reuse_detected', customer, project, { session }),
        revoked,
      ]);
    });
  }
}
