import { Inject, Injectable } from '@nestjs/common';
import {
  mailboxOf,
  type mailLimitSettings,
  type MailLimitReason,
  type MailPurpose,
  type OneTimeTokenKind,
  type ProjectContext,
} from '@gatehouse/domain';
import { MailsRepository, type Tx } from '@gatehouse/persistence';
import {
  ApiMetrics,
  limitReached,
  LOGGER,
  newId,
  RateLimiter,
  sha256,
  type Logger,
  type MailKind,
  type RateLimitPolicy,
  type LimitPolicy,
} from '@gatehouse/platform';

/** An email that a request would send. */
export interface MailRequest {
  kind: MailKind;
  /** Default: the kind's purpose. */
  purpose?: MailPurpose;
  recipient: string;
  /**
   * True if the customer who receives or requests the email has verified their address, or if an operator or a secret
   * key requests the email.
   */
  isTrusted: boolean;
  /**
   * True if the recipient's session, an operator or a secret key requests it. Such emails are counted separately, so
   * that strangers cannot exhaust their limit. Default: false.
   */
  isAuthenticated?: boolean;
}

/** An exhausted limit, and the seconds until its window ends. */
export interface MailRejection<Policy = RateLimitPolicy> {
  reason: MailLimitReason;
  policy: Policy;
  retryAfterSeconds: number;
}

const HOUR_SECONDS = 3_600;

/** Minimum interval between two emails of one kind to one address that unauthenticated callers can request. */
const intervalPolicy: RateLimitPolicy = { name: 'mail-apart', quota: 1, windowSeconds: 60 };

/** Emails that a trusted recipient still receives after the project's limit is reached. */
const reservePolicy: RateLimitPolicy = { name: 'mail-reserve', quota: 1, windowSeconds: HOUR_SECONDS };

/** Dropped emails, per kind and address, that the email log shows. The metrics count all dropped emails. */
const dropLogPolicy: RateLimitPolicy = { name: 'mail-drop-log', quota: 5, windowSeconds: HOUR_SECONDS };

/** The purposes for emails with a link or a code, and for the notice that a stranger can cause. */
const purposes: Record<
  OneTimeTokenKind | 'email-code' | 'reauthentication-code' | 'already-registered',
  MailPurpose
> = {
  'verify-email': 'signUp',
  'already-registered': 'signUp',
  'reset-password': 'passwordReset',
  'change-email-current': 'emailChange',
  'change-email-new': 'emailChange',
  'accept-invite': 'invitation',
  'email-code': 'signIn',
  'reauthentication-code': 'signIn',
};

/**
 * Limits the emails that requests can trigger (requirements RL-08, MQ-01, MQ-02; ADR 0031). Only emails that
 * would be sent are counted. The responses therefore reveal nothing, and requests for addresses that receive
 * no email cannot exhaust a limit.
 */
@Injectable()
export class MailQuotaService {
  constructor(
    private readonly limiter: RateLimiter,
    private readonly mails: MailsRepository,
    @Inject(ApiMetrics) private readonly metrics: ApiMetrics | null,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Counts an email that an unauthenticated caller requests.
   * @returns the exhausted limit; the response must then be the same as if the email had been sent. null if
   *   it may be sent
   */
  async consumePublic(project: ProjectContext, request: MailRequest): Promise<MailRejection | null> {
    const wait = await this.limiter.consume(intervalPolicy, addressKey(project, request));
    if (wait !== null) return this.refuse(request, 'too_soon', intervalPolicy, wait);
    return this.consume(project, request);
  }

  /**
   * Counts a registration's email, which is the first of its kind to the address. Another email follows after a
   * minute at the earliest.
   * @returns the exhausted limit, or null if the email may be sent
   */
  async consumeFirst(project: ProjectContext, request: MailRequest): Promise<MailRejection | null> {
    await this.limiter.consume(intervalPolicy, addressKey(project, request));
    return this.consume(project, request);
  }

  /**
   * Counts an email that an authenticated caller requests.
   * @returns the exhausted limit, or null if the email may be sent
   */
  async consume(project: ProjectContext, request: MailRequest): Promise<MailRejection<LimitPolicy> | null> {
    const { mailLimits } = project.settings;
    const purpose = purposeOf(request);
    if (purpose === 'notice' && request.isTrusted) return null;
    const recipient = recipientKey(project, request);
    const recipientPolicy = hourlyPolicy('mail-recipient', mailLimits.perRecipient);
    const recipientWait = await this.limiter.consume(recipientPolicy, recipient);
    if (recipientWait !== null) {
      return this.refuse(request, 'recipient_limit', recipientPolicy, recipientWait);
    }
    if (purpose === 'notice') return null;
    const projectPolicy = hourlyPolicy('mail-project', mailLimits[purpose]);
    const projectWait = await this.limiter.consume(projectPolicy, projectKey(project, request));
    if (projectWait === null) return null;
    this.logger.warn({ projectId: project.id, purpose, quota: projectPolicy.quota }, 'email quota exhausted');
    // A stranger can exhaust a project's limit, but must not prevent a customer's only email.
    const isReserved = request.isTrusted && (await this.limiter.consume(reservePolicy, recipient)) === null;
    return isReserved ? null : this.refuse(request, 'project_limit', projectPolicy, projectWait);
  }

  /**
   * Counts an email for a caller who may learn that a limit is reached.
   * @throws GatehouseError `rate_limited`
   */
  async assertAllowed(project: ProjectContext, request: MailRequest): Promise<void> {
    const rejection = await this.consume(project, request);
    if (!rejection) return;
    const detail = 'Too many emails were requested for this recipient or this project. Retry later.';
    throw limitReached('rate_limited', rejection.policy, rejection.retryAfterSeconds, { detail });
  }

  /**
   * Adds an email that is not sent because of a limit to the email log. If requests repeat, only the first emails are
   * added, so that they cannot fill the log.
   * @param tx the change's transaction, which may create the customer
   */
  async recordDropped(
    project: ProjectContext,
    customerId: string,
    { kind, recipient }: MailRequest,
    { reason }: MailRejection,
    tx?: Tx,
  ): Promise<void> {
    const key = addressKey(project, { kind, recipient });
    if ((await this.limiter.consume(dropLogPolicy, key)) !== null) return;
    const mail = { id: newId(), projectId: project.id, customerId, kind, recipient, reason };
    await this.mails.insertDropped(mail, tx);
  }

  private refuse<Policy>(
    request: MailRequest,
    reason: MailLimitReason,
    policy: Policy,
    retryAfterSeconds: number,
  ): MailRejection<Policy> {
    this.metrics?.recordLimitedMail(purposeOf(request), reason);
    return { reason, policy, retryAfterSeconds };
  }
}

const hourlyPolicy = (name: keyof typeof mailLimitSettings, quota: number): LimitPolicy => ({
  name,
  quota,
  windowSeconds: HOUR_SECONDS,
});

function purposeOf({ kind, purpose }: MailRequest): MailPurpose {
  if (purpose) return purpose;
  return kind in purposes ? purposes[kind as keyof typeof purposes] : 'notice';
}

const addressKey = (project: ProjectContext, { kind, recipient }: Omit<MailRequest, 'isTrusted'>): string =>
  `${project.id}:${hashOf(recipient)}:${kind}`;

/**
 * Returns the key for a project's limit. Registrations create any number of unverified addresses, whose emails are
 * therefore counted separately.
 */
const projectKey = (project: ProjectContext, request: MailRequest): string =>
  `${project.id}:${purposeOf(request)}:${request.isTrusted ? 'verified' : 'unverified'}`;

/**
 * Returns a recipient's key. Emails to a change's new address are counted separately, because any other customer can
 * request them.
 */
function recipientKey(project: ProjectContext, request: MailRequest): string {
  const isNewAddress = request.kind === 'change-email-new';
  const scope = isNewAddress ? ':new' : request.isAuthenticated ? ':authenticated' : '';
  const mailbox = hashOf(mailboxOf(request.recipient));
  return `${projectKey(project, request)}${scope}:${mailbox}`;
}

const hashOf = (email: string): string => sha256(email).toString('base64url');
