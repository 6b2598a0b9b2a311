import { Inject, Injectable } from '@nestjs/common';
import { acceptsOperatorSession, roleScopes } from '@gatehouse/domain';
import { OperatorSessionsRepository } from '@gatehouse/persistence';
import { Config, errorMessage, LOGGER, sha256, type Logger } from '@gatehouse/platform';
import type { OperatorCaller } from './caller.js';

/** Authenticates operators by their console sessions. */
@Injectable()
export class OperatorSessionAuthenticator {
  constructor(
    private readonly sessions: OperatorSessionsRepository,
    private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Returns null unless the session is active, its second factor is verified, and its operator is not
   * disabled.
   * @param isUserActivity true if a user caused the request, which extends the idle timeout (requirement
   *   CO-01)
   */
  async authenticate(token: string, isUserActivity: boolean): Promise<OperatorCaller | null> {
    const session = await this.sessions.findSignedIn(sha256(token));
    if (!session) return null;
    const { id, operatorId, email, role, organizationIds, isStale } = session;
    const { method, hasSecondFactor, isReauthenticated } = session;
    if (!acceptsOperatorSession(session, this.config)) return null;
    if (isStale && isUserActivity) this.touch(id);
    return {
      kind: 'operator',
      operatorId,
      email,
      role,
      sessionId: id,
      method,
      hasSecondFactor,
      isReauthenticated,
      scopes: roleScopes[role],
      access: 'organization',
      project: null,
      accessScope: { organizationIds, projectId: null },
    };
  }

  /**
   * Records that the session was used, without waiting for the result: an inaccuracy of one minute is acceptable for an
   * idle timeout of 30 minutes.
   */
  private touch(id: string): void {
    this.sessions.recordUse(id).catch((error: unknown) => {
      this.logger.debug({ reason: errorMessage(error) }, 'operator session lastSeenAt not written');
    });
  }
}
