import { Injectable } from '@nestjs/common';
import { AccessTokens, RefreshTokens, type TokenSession } from '@gatehouse/auth';
import {
  effectiveMfa,
  GatehouseError,
  type ChallengeMethod,
  type Customer,
  type CustomerIdentity,
  type ProjectContext,
  type TokenProject,
} from '@gatehouse/domain';
import {
  ChallengesRepository,
  EventsRepository,
  FactorsRepository,
  IdentitiesRepository,
  SessionsRepository,
  type CustomerFactors,
  type Tx,
} from '@gatehouse/persistence';
import { newId, newToken, now, sha256 } from '@gatehouse/platform';
import { CustomerSummary } from '../customers/dto/customer.response.js';
import { customerEvent } from '../events/customer-events.js';
import { FailedSignInsService, type SignInFailure } from '../factors/failed-sign-ins.service.js';
import { hasFactor } from '../factors/factor-changes.service.js';
import type { Client } from '../http/request-context.js';
import { AccountsService } from '../accounts/accounts.service.js';
import { RequiredProvidersService } from '../identities/required-providers.service.js';
import { PasskeyCeremoniesService } from '../passkeys/passkey-ceremonies.service.js';
import { unlockEvents } from '../passwords/password-check.service.js';
import { SessionResponse } from '../sessions/dto/session.response.js';
import { SessionsService } from '../sessions/sessions.service.js';
import type { CurrentProof } from './current-proof.js';
import type { AuthResponse } from './dto/auth.response.js';
import { ExchangeCodesService } from './exchange-codes.service.js';
import type { AccessTokenResponse, TokensResponse } from './dto/tokens.response.js';
import { SignInFlowsService } from './sign-in-flows.service.js';

/** Error codes for project rules that a customer does not meet. */
type SignInRejection = 'customer_disabled' | 'email_not_verified';

/** Response to a sign-in. On the hosted page, `redirectUrl` or `flow` replaces the tokens. */
export interface SignInOutcome extends AuthResponse {
  /** Application URL, with a code. */
  redirectUrl?: string;
  /** Secret of the flow that the page continues with. */
  flow?: string;
}

/** Lifetime of a challenge in seconds (sign-in contract, section 1). */
const CHALLENGE_TTL = 10 * 60;

/** Completes sign-ins: every sign-in method ends here (sign-in contract, section 1). */
@Injectable()
export class SignInService {
  constructor(
    private readonly sessions: SessionsRepository,
    private readonly sessionsService: SessionsService,
    private readonly challenges: ChallengesRepository,
    private readonly factors: FactorsRepository,
    private readonly passkeys: PasskeyCeremoniesService,
    private readonly required: RequiredProvidersService,
    private readonly identities: IdentitiesRepository,
    private readonly accounts: AccountsService,
    private readonly exchangeCodes: ExchangeCodesService,
    private readonly flows: SignInFlowsService,
    private readonly failures: FailedSignInsService,
    private readonly events: EventsRepository,
    private readonly accessTokens: AccessTokens,
    private readonly refreshTokens: RefreshTokens,
  ) {}

  /** Returns the reason why a customer may not sign in with any method, or null if they may. */
  findRejection({ settings }: ProjectContext, customer: Customer): SignInRejection | null {
    if (customer.disabledAt) return 'customer_disabled';
    const needsVerifiedEmail = settings.requireVerifiedEmail || settings.enumerationProtection;
    return needsVerifiedEmail && !customer.emailVerified ? 'email_not_verified' : null;
  }

  /**
   * Completes the sign-in of a customer who has proven their identity. Opens a session, or a challenge if a second
   * factor is required. Nothing else opens a session. The transaction must have locked the customer, so that concurrent
   * sign-ins count each other's sessions. On the hosted page, the session is opened by a code exchange, which completes
   * the sign-in a second time.
   * @param options `isNew` if the customer has just been created: only the session's event is recorded, and a
   * customer who must first verify the address receives a response without tokens; `showsPageFirst` if the hosted page shows
   * something before it continues
   * @throws GatehouseError `method_not_enabled`, the rejection by the project, `sso_required`,
   * `identity_already_linked`
   */
  async complete(
    tx: Tx,
    project: ProjectContext,
    customer: Customer,
    proof: CurrentProof,
    client: Client,
    { isNew = false, showsPageFirst = false } = {},
  ): Promise<SignInOutcome> {
    // The provider can be disabled before a challenge or a code from the page completes the sign-in.
    if (proof.provider && !proof.provider.enabled) throw new GatehouseError('method_not_enabled');
    const rejection = this.findRejection(project, customer);
    // The account is kept, so that the customer can sign in after verifying the address.
    if (isNew && rejection)
      return { tokens: null, customer: CustomerSummary.from(customer), challenge: null };
    const failure = { methods: proof.amr, client };
    if (rejection !== 'customer_disabled') {
      const checked = this.assertProviderAllowed(tx, project, customer, proof);
      await this.failures.reportOtherProvider(checked, project, customer, failure);
    }
    if (rejection) throw this.reject(project, customer, { reason: rejection, ...failure });
    const challenge = await this.openChallenge(tx, project, customer, proof, client);
    if (challenge) return challenge;
    const proven = await this.linkIdentity(tx, project, customer, proof);
    return (
      (await this.finishOnPage(tx, project, proven, proof, client, showsPageFirst)) ??
      (await this.openSession(tx, project, proven, proof, client, isNew))
    );
  }

  /** Reports a sign-in that the project rejects, and returns the error. */
  reject(
    project: ProjectContext,
    customer: Customer,
    failure: SignInFailure & { reason: SignInRejection },
  ): GatehouseError {
    this.failures.reportRejection(project, customer, failure);
    return new GatehouseError(failure.reason);
  }

  /**
   * Repeats the check of every sign-in method, so that no method can open a session in a required domain. Support is
   * exempt, because a secret key has created its token.
   * @throws GatehouseError `sso_required`
   */
  private async assertProviderAllowed(
    tx: Tx,
    project: ProjectContext,
    { email }: Customer,
    { amr, provider }: CurrentProof,
  ): Promise<void> {
    if (amr.includes('support')) return;
    await this.required.assertAllowed(project, email, { providerId: provider?.id, sql: tx });
  }

  /**
   * Links the account with the provider to the customer, unless a concurrent sign-in has already linked it. Must follow
   * the second factor: a person who has access only to the customer's mailbox must not add a sign-in method
   * (requirement MF-05).
   */
  private async linkIdentity(
    tx: Tx,
    project: ProjectContext,
    customer: Customer,
    { provider, newIdentity }: CurrentProof,
  ): Promise<Customer> {
    if (!provider || !newIdentity) return customer;
    const linkedTo = await this.identities.findCustomerId(provider.id, newIdentity.subject, tx);
    if (linkedTo === customer.id) return customer;
    return this.accounts.link(tx, project, customer, { provider, profile: newIdentity });
  }

  /**
   * On the hosted page, returns the redirect URL with a code for the application, or the flow that the page continues
   * with after it has shown something. Returns null elsewhere.
   */
  private async finishOnPage(
    tx: Tx,
    { id: projectId }: ProjectContext,
    { id: customerId }: Customer,
    { amr, provider, authTime }: CurrentProof,
    { page }: Client,
    showsPageFirst: boolean,
  ): Promise<SignInOutcome | null> {
    if (!page) return null;
    const outcome = { tokens: null, customer: null, challenge: null };
    const proven = { customerId, providerId: provider?.id ?? null, amr };
    if (showsPageFirst) {
      const { secret } = await this.flows.beginWithCustomer(tx, projectId, page.target, proven);
      return { ...outcome, flow: secret };
    }
    const redirectUrl = await this.exchangeCodes.issue(tx, {
      ...page.target,
      ...proven,
      kind: 'sign_in',
      method: 'customer',
      projectId,
      requestedAt: null,
      ...(authTime ? { provenAt: authTime } : {}),
    });
    return { ...outcome, redirectUrl };
  }

  /** Opens a challenge if a second factor is required and not yet proven, otherwise returns null. */
  private async openChallenge(
    tx: Tx,
    project: ProjectContext,
    { id, mfa }: Customer,
    { amr, provider, newIdentity, isMigrated }: CurrentProof,
    { page }: Client,
  ): Promise<SignInOutcome | null> {
    const policy = effectiveMfa(project.settings.mfa, mfa);
    if (isMigrated || policy === 'off' || amr.includes('mfa') || amr.includes('support')) return null;
    const factors = await this.factors.list(id, tx);
    const isEnrollment = !hasFactor(factors);
    if (isEnrollment && policy !== 'required') return null;
    const kind = isEnrollment ? 'enroll_factor' : 'second_factor';
    const methods: ChallengeMethod[] = isEnrollment
      ? this.enrollableMethods(project)
      : usableMethods(factors);
    const { token, tokenHash } = newToken();
    const flow = page && (await this.flows.begin(tx, project.id, page.target, id));
    const expiresAt = await this.challenges.insert(tx, {
      tokenHash,
      customerId: id,
      kind,
      amr,
      providerId: provider?.id ?? null,
      newIdentity,
      flowHash: flow?.secretHash ?? null,
      ttl: CHALLENGE_TTL,
    });
    return {
      tokens: null,
      customer: null,
      challenge: { token, kind, methods, expiresAt: expiresAt.toISOString() },
      ...(flow ? { flow: flow.secret } : {}),
    };
  }

  private enrollableMethods(project: ProjectContext): ChallengeMethod[] {
    return this.passkeys.findRelyingParty(project) ? ['totp', 'passkey'] : ['totp'];
  }

  private async openSession(
    tx: Tx,
    project: ProjectContext,
    before: Customer,
    proof: CurrentProof,
    client: Client,
    isNew: boolean,
  ): Promise<AuthResponse> {
    const { amr, provider, authTime, support, attempt } = proof;
    // Neither a registration nor a sign-in by support counts as a sign-in by the customer.
    const isCounted = !isNew && !amr.includes('support');
    const id = newId();
    const refresh = this.refreshTokens.issueFirst(id);
    const { session, otherSessions, clearedAttempts } = await this.sessions.insert(tx, {
      id,
      customerId: before.id,
      refreshHash: refresh.hash,
      idleTtl: project.settings.refreshIdleTtl,
      absoluteTtl: remainingLifetime(project, proof),
      amr,
      authTime: authTime ?? null,
      providerId: provider?.id ?? null,
      support: support ?? null,
      emailHash: isCounted ? sha256(before.email) : null,
      addedGuesses: attempt ? 1 : 0,
      ip: client.ip,
      addressBlock: client.addressBlock,
      userAgent: client.userAgent,
    });
    const customer = isCounted ? { ...before, lastLoginAt: session.createdAt } : before;
    const data = { session: SessionResponse.from(session) };
    // The allowance for known client IPs counts its attempts separately.
    const failures = clearedAttempts - (attempt === 'open' ? 1 : 0);
    this.events.record(tx, [
      ...unlockEvents(project, customer, { attempts: failures, guesses: 0 }),
      ...(await this.sessionsService.endSurplusSessions(tx, customer, project, id, otherSessions)),
      ...(isNew
        ? []
        : [
            customerEvent('login.succeeded', customer, project, {
              ...data,
              methods: amr,
              provider: provider?.slug ?? null,
            }),
          ]),
      customerEvent('session.created', customer, project, data),
    ]);
    const opened = { id, amr, authTime: authTime ?? session.createdAt };
    return {
      tokens: this.issueTokens(customer, opened, project, refresh.token),
      customer: CustomerSummary.from(customer),
      challenge: null,
    };
  }

  /** Returns a new access token for a session, together with the refresh token. */
  issueTokens(
    customer: CustomerIdentity,
    session: TokenSession,
    project: TokenProject,
    refreshToken: string,
  ): TokensResponse {
    return { ...this.issueAccessToken(customer, session, project), refreshToken };
  }

  /** Returns a new access token for a session, with its lifetime in seconds. */
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

/**
 * Returns the maximum age of a new session in seconds. For a session from another system, the time since it started
 * there is subtracted.
 */
function remainingLifetime({ settings }: ProjectContext, { isMigrated, authTime }: CurrentProof): number {
  const age = isMigrated && authTime ? (now().getTime() - authTime.getTime()) / 1_000 : 0;
  return settings.refreshAbsoluteTtl - Math.max(0, Math.floor(age));
}

const usableMethods = ({ totp, passkeys, recoveryCodes }: CustomerFactors): ChallengeMethod[] => [
  ...(totp.length > 0 ? (['totp'] as const) : []),
  ...(passkeys.length > 0 ? (['passkey'] as const) : []),
  ...(recoveryCodes > 0 ? (['recovery_code'] as const) : []),
];
