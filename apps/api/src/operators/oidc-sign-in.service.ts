import { Inject, Injectable } from '@nestjs/common';
import type { OperatorCaller } from '@gatehouse/auth';
import { GatehouseError, type ProviderClaims } from '@gatehouse/domain';
import { Transactions } from '@gatehouse/persistence';
import { LOGGER, type Logger } from '@gatehouse/platform';
import type { ConsoleCookie } from './console-cookie.js';
import type { Client } from '../http/request-context.js';
import type { OidcFlowCookie } from './oidc-flow-cookie.js';
import { OidcAccountsService } from './oidc-accounts.service.js';
import { OidcFlowsService, type OidcPurpose } from './oidc-flows.service.js';
import { OperatorCheckService } from './operator-check.service.js';
import { OperatorSessionsService } from './operator-sessions.service.js';
import {
  rejectionMessages,
  SingleSignOnRejection,
  type RejectionReason,
} from './single-sign-on-rejection.js';

/** The session and flow cookies of a request. */
export interface OidcCookies {
  session: ConsoleCookie;
  flow: OidcFlowCookie;
}

/** The outcome of a sign-in at the provider. `purpose` is null if the browser has not started one. */
export interface OidcResult {
  purpose: OidcPurpose | null;
  /** Null on success. */
  rejection: { reason: RejectionReason; text: string } | null;
}

/** Signs operators in with the OpenID Provider, and reauthenticates them with it. */
@Injectable()
export class OidcSignInService {
  constructor(
    private readonly flows: OidcFlowsService,
    private readonly accounts: OidcAccountsService,
    private readonly check: OperatorCheckService,
    private readonly sessions: OperatorSessionsService,
    private readonly transactions: Transactions,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Starts a sign-in. Ends the current session, because the callback does not receive the session cookie.
   * @returns the provider's URL
   * @throws GatehouseError `not_found`, `provider_unavailable`, `sign_in_failed`
   */
  async beginSignIn(purpose: Omit<OidcPurpose, 'session'>, cookies: OidcCookies): Promise<string> {
    const url = await this.flows.begin({ ...purpose, session: null }, cookies.flow);
    await this.sessions.signOut(cookies.session);
    return url;
  }

  /**
   * Starts a reauthentication.
   * @returns the provider's URL
   * @throws GatehouseError `not_found`, `conflict`, `provider_unavailable`, `sign_in_failed`
   */
  async beginReauthentication(
    { method, operatorId, sessionId }: OperatorCaller,
    cookie: OidcFlowCookie,
  ): Promise<string> {
    if (method !== 'oidc')
      throw new GatehouseError('conflict', { detail: 'You have not signed in with single sign-on.' });
    const session = { operatorId, sessionId };
    return this.flows.begin({ to: '/', isSeparateWindow: true, session }, cookie);
  }

  /** Finishes the sign-in that the browser has started, with the callback query parameters. */
  async finish(
    parameters: Readonly<Record<string, string>>,
    cookies: OidcCookies,
    client: Client,
  ): Promise<OidcResult> {
    let purpose: OidcPurpose | null = null;
    try {
      const flow = await this.flows.end(cookies.flow, parameters);
      purpose = flow;
      const claims = await this.flows.loadClaims(flow, parameters);
      cookies.session.set(await this.complete(flow, claims, client));
      return { purpose, rejection: null };
    } catch (error) {
      const reason = reasonOf(error);
      if (!reason) throw error;
      this.logger.info({ reason }, 'operator single sign-on rejected');
      return { purpose, rejection: { reason, text: rejectionMessages[reason] } };
    }
  }

  private complete({ session }: OidcPurpose, claims: ProviderClaims, client: Client): Promise<string> {
    const { settings } = this.flows;
    return this.transactions.run(async (tx) => {
      if (session) {
        await this.accounts.update(tx, settings, claims, session.operatorId, client);
        return this.sessions.reauthenticate(tx, session, { method: 'oidc' });
      }
      const operator = await this.accounts.resolve(tx, settings, claims, client);
      await this.check.recordSingleSignOn(tx, operator, client);
      return this.sessions.openSignedIn(tx, operator, client);
    });
  }
}

/** Returns the reason for a rejection, or null if the error is unexpected. */
function reasonOf(error: unknown): RejectionReason | null {
  if (error instanceof SingleSignOnRejection) return error.reason;
  if (!(error instanceof GatehouseError)) return null;
  if (error.code === 'operator_session_required') return 'session_ended';
  if (error.code === 'conflict') return 'older_version';
  return error.code in rejectionMessages ? (error.code as RejectionReason) : null;
}
