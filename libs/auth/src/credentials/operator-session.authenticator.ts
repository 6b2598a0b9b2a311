import { Inject, Injectable } from '@nestjs/common';
import { acceptsOperatorSession, roleScopes } from '@gatehouse/domain';
import { OperatorSessionsRepository } from '@gatehouse/persistence';
import { Config, errorMessage, LOGGER, sha256, type Logger } from '@gatehouse/platform';
import type { OperatorCaller } from './caller.js';

/** Turns the cookie of the console into the operator who is signed in. */
@Injectable()
export class OperatorSessionAuthenticator {
  constructor(
    private readonly sessions: OperatorSessionsRepository,
    private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Null unless the session lives, has passed its second factor, and its operator is not disabled.
   * @param isUserActivity whether somebody uses the session, which puts off its idle end (requirement CO-01)
   */
  async authenticate(token: string, isUserActivity: boolean): Promise<OperatorCaller | null> {
    const session = await this.sessions.findSignedIn(sha256(token));
    if (!session) return null;
    const { id, operatorId, email, role, hasSecondFactor, isStale } = session;
    if (!acceptsOperatorSession(hasSecondFactor, this.config.production)) return null;
    if (isStale && isUserActivity) this.touch(id);
    return {
      kind: 'operator',
      operatorId,
      email,
      role,
      sessionId: id,
      hasSecondFactor,
      scopes: roleScopes[role],
      access: 'organization',
      project: null,
      reach: { organizationId: null, projectId: null },
    };
  }

  /** Nobody waits for it: a minute of the thirty that a session may be idle is no loss. */
  private touch(id: string): void {
    this.sessions.recordUse(id).catch((error: unknown) => {
      this.logger.debug({ reason: errorMessage(error) }, 'operator session lastSeenAt not written');
    });
  }
}
