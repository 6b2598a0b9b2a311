import { Injectable } from '@nestjs/common';
import { notSignedInError, type OperatorCaller } from '@gatehouse/auth';
import {
  acceptsOperatorSession,
  GatehouseError,
  notFound,
  type Operator,
  operatorRelyingParty,
  type OperatorFactor,
  type OperatorSignInMethod,
  type OperatorStage,
} from '@gatehouse/domain';
import {
  OperatorPreferencesRepository,
  OperatorSessionsRepository,
  OperatorsRepository,
  Transactions,
  type OperatorSession,
  type OperatorSessionRecord,
  type Tx,
} from '@gatehouse/persistence';
import { Config, newId, newToken, sha256, VERSION } from '@gatehouse/platform';
import { AuditService, operatorAction } from '../audit/audit.service.js';
import type { ConsoleCookie } from './console-cookie.js';
import { isLoopback } from '../http/client-address.js';
import type { Client } from '../http/request-context.js';
import { PreferencesResponse } from './dto/operator-preferences.response.js';
import {
  CurrentOperatorResponse,
  SingleSignOnResponse,
  type ServerResponse,
  type OperatorSessionResponse,
} from './dto/operator-session.response.js';

/**
 * Manages console sessions from the password to the sign-out. Each stage has a different cookie value, to prevent
 * session fixation.
 */
@Injectable()
export class OperatorSessionsService {
  constructor(
    private readonly sessions: OperatorSessionsRepository,
    private readonly operators: OperatorsRepository,
    private readonly preferences: OperatorPreferencesRepository,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
    private readonly config: Config,
  ) {}

  /** Returns the state of the session that the cookie identifies. */
  async describe(cookie: ConsoleCookie, client: Client): Promise<OperatorSessionResponse> {
    const session = await this.find(cookie);
    const isSignedIn = session?.stage === 'signed_in';
    return {
      state: session?.stage ?? 'signed_out',
      operator: session && CurrentOperatorResponse.from(session.operator),
      expiresAt: session?.expiresAt.toISOString() ?? null,
      expiresIn: session?.expiresIn ?? null,
      endsIn: session?.endsIn ?? null,
      method: session?.method ?? null,
      isReauthenticated: session?.isReauthenticated ?? false,
      hasSecondFactor: session !== null && hasSecondFactor(session),
      factors: session ? listFactors(session) : [],
      passkeysAvailable: operatorRelyingParty(this.config.publicUrl) !== null,
      maySkipEnrollment: session?.stage === 'enrollment' && this.maySkipEnrollment(client),
      setupRequired: !session && !(await this.operators.hasAny()),
      singleSignOn: this.config.operatorOidc && SingleSignOnResponse.from(this.config.operatorOidc),
      server: isSignedIn ? this.describeServer() : null,
      preferences: isSignedIn
        ? PreferencesResponse.from(await this.preferences.get(session.operator.id))
        : null,
    };
  }

  /**
   * Returns the session that the cookie identifies if it is at this stage.
   * @throws GatehouseError `operator_session_required`
   */
  async getAtStage(stage: OperatorStage, cookie: ConsoleCookie): Promise<OperatorSession> {
    const session = await this.find(cookie);
    if (session?.stage !== stage) throw notSignedInError();
    return session;
  }

  /**
   * Returns the session of an operator who has no authenticator. A single sign-on session cannot enroll one, because a
   * stolen cookie could then reauthenticate with it.
   * @throws GatehouseError `operator_session_required`
   */
  async getEnrollingSession(cookie: ConsoleCookie): Promise<OperatorSession> {
    const session = await this.find(cookie);
    if (session?.stage === 'enrollment') return session;
    if (session?.stage === 'signed_in' && !hasSecondFactor(session)) return session;
    throw notSignedInError();
  }

  /**
   * Returns a session that may confirm a new authenticator: its operator has none, or has verified the current one in
   * order to replace it.
   * @throws GatehouseError `operator_session_required`
   */
  async getConfirmingSession(cookie: ConsoleCookie): Promise<OperatorSession> {
    const session = await this.find(cookie);
    if (session?.stage === 'signed_in' && session.newTotpSecret) return session;
    return this.getEnrollingSession(cookie);
  }

  /** Returns true if the operator may sign in without an authenticator: outside production, from a loopback address. */
  maySkipEnrollment({ ip }: Client): boolean {
    return !this.config.production && ip !== null && isLoopback(ip);
  }

  /**
   * Opens a session for an operator who has just verified or set the password.
   * @returns the value for the session cookie, to be set after the transaction has committed
   */
  async open(tx: Tx, operator: Operator, client: Client): Promise<string> {
    const { token } = await this.insert(tx, operator, 'password', client);
    return token;
  }

  /**
   * Opens a session for an operator whom the OpenID Provider has verified, and completes the sign-in.
   * @returns the value for the session cookie, to be set after the transaction has committed
   */
  async openSignedIn(tx: Tx, operator: Operator, client: Client): Promise<string> {
    const session = await this.insert(tx, operator, 'oidc', client);
    return this.signIn(tx, { ...session, operator }, { method: 'oidc' });
  }

  private async insert(
    tx: Tx,
    { id: operatorId, secondFactor }: Operator,
    method: OperatorSignInMethod,
    { ip, userAgent }: Client,
  ): Promise<Pick<OperatorSession, 'id' | 'stage'> & { token: string }> {
    const { token, tokenHash } = newToken();
    const stage = secondFactor ? 'second_factor' : 'enrollment';
    const id = newId();
    await this.sessions.insert(tx, { id, operatorId, tokenHash, stage, method, ip, userAgent });
    return { id, stage, token };
  }

  /**
   * Completes a session's sign-in.
   * @returns the new value for the session cookie, to be set after the transaction has committed
   * @throws GatehouseError `operator_session_required` if the session has ended or its stage has changed in the
   * meantime
   */
  async signIn(
    tx: Tx,
    session: Pick<OperatorSession, 'id' | 'stage' | 'operator'>,
    details: Record<string, unknown>,
  ): Promise<string> {
    const { token, tokenHash } = newToken();
    if (!(await this.sessions.signIn(tx, session, tokenHash))) throw notSignedInError();
    await this.operators.recordLogin(tx, session.operator.id);
    const action = operatorAction('operator.signed_in', session.operator, details);
    this.audit.record(tx, { ...action, operatorId: session.operator.id });
    return token;
  }

  /**
   * Records a reauthentication. The session continues with a new token, so that a stolen cookie does not allow
   * sensitive actions.
   * @returns the new value for the session cookie, to be set after the transaction has committed
   * @throws GatehouseError `operator_session_required` if the session has ended in the meantime
   */
  async reauthenticate(
    tx: Tx,
    { operatorId: id, sessionId }: Pick<OperatorCaller, 'operatorId' | 'sessionId'>,
    details: Record<string, unknown>,
  ): Promise<string> {
    const { token, tokenHash } = newToken();
    if (!(await this.sessions.reauthenticate(tx, sessionId, tokenHash))) throw notSignedInError();
    this.audit.record(tx, { ...operatorAction('operator.reauthenticated', { id }, details), operatorId: id });
    return token;
  }

  /**
   * Continues the caller's session with a new token after a password change, so that a client with a copy of the cookie
   * is signed out like the other sessions.
   * @returns the new value for the session cookie, to be set after the transaction has committed
   * @throws GatehouseError `operator_session_required` if the session has ended in the meantime
   */
  async renew(tx: Tx, { sessionId }: OperatorCaller): Promise<string> {
    const { token, tokenHash } = newToken();
    if (!(await this.sessions.renew(tx, sessionId, tokenHash))) throw notSignedInError();
    return token;
  }

  /** Sets the new cookie value and returns the new state. The value in the request is no longer valid. */
  async replaceToken(cookie: ConsoleCookie, token: string, client: Client): Promise<OperatorSessionResponse> {
    cookie.set(token);
    return this.describe(cookie, client);
  }

  /** Ends the session that the cookie identifies, at any stage. Does nothing if there is none. */
  async signOut(cookie: ConsoleCookie): Promise<void> {
    if (cookie.token !== null) await this.transactions.run((tx) => this.end(tx, cookie));
    cookie.clear();
  }

  /** Ends the request's session, because the operator signs out or a new session replaces it. */
  async end(tx: Tx, cookie: ConsoleCookie): Promise<void> {
    const ended = cookie.token === null ? null : await this.sessions.end(tx, sha256(cookie.token));
    if (!ended) return;
    const { operatorId: id, stage } = ended;
    cookie.setLoggedOperator(id);
    if (stage !== 'signed_in') return;
    this.audit.record(tx, { ...operatorAction('operator.signed_out', { id }), operatorId: id });
  }

  /** Returns the caller's sessions, newest first. */
  listOwnSessions({ operatorId }: OperatorCaller): Promise<OperatorSessionRecord[]> {
    return this.sessions.list(operatorId);
  }

  /**
   * Ends one of the caller's sessions.
   * @throws GatehouseError `not_found` if the caller has no session with this id
   */
  async endOwnSession({ operatorId }: OperatorCaller, id: string): Promise<void> {
    await this.transactions.run(async (tx) => {
      if (!(await this.sessions.endForOperator(tx, operatorId, id))) throw notFound();
      this.recordEnded(tx, operatorId, 1);
    });
  }

  /** Ends all of the caller's sessions except the current one. */
  async endOtherSessions({ operatorId, sessionId }: OperatorCaller): Promise<void> {
    await this.transactions.run(async (tx) => {
      const ended = await this.sessions.endAll(tx, operatorId, sessionId);
      if (ended > 0) this.recordEnded(tx, operatorId, ended);
    });
  }

  private recordEnded(tx: Tx, operatorId: string, ended: number): void {
    this.audit.record(tx, operatorAction('operator.sessions_revoked', { id: operatorId }, { ended }));
  }

  private async find(cookie: ConsoleCookie): Promise<OperatorSession | null> {
    const session = cookie.token === null ? null : await this.sessions.find(sha256(cookie.token));
    if (session?.stage === 'signed_in') {
      const { method, issuer } = session;
      const described = { method, issuer, hasSecondFactor: hasSecondFactor(session) };
      if (!acceptsOperatorSession(described, this.config)) return null;
    }
    if (session) cookie.setLoggedOperator(session.operator.id);
    return session;
  }

  private describeServer(): ServerResponse {
    const { production, mail, docs } = this.config;
    const mailConfigured = mail.smtpUrl !== null;
    return { version: VERSION, production, mailbox: !mailConfigured, mailConfigured, docs };
  }
}

/** Returns the kinds of second factors that an operator has enrolled. */
const listFactors = ({ totpSecret, hasPasskey }: OperatorSession): OperatorFactor[] => [
  ...(totpSecret ? (['totp'] as const) : []),
  ...(hasPasskey ? (['passkey'] as const) : []),
];

/**
 * Returns true if a second factor protects the session: one that the operator has enrolled, or the OpenID Provider's.
 */
const hasSecondFactor = ({ method, operator }: OperatorSession): boolean =>
  method === 'oidc' || operator.secondFactor;

/**
 * Checks that Gatehouse verifies the session's second factor. After single sign-on, the provider does.
 * @throws GatehouseError `conflict`
 */
export function assertNotSingleSignOn({ method }: OperatorCaller): void {
  if (method === 'oidc')
    throw new GatehouseError('conflict', {
      detail: 'You have signed in with single sign-on. Confirm your identity at the identity provider.',
    });
}
