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
  limitReachedError,
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
  /** Default: the purpose of the kind. */
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

/** Limits how often unauthenticated callers can request an email of one kind to one address. */
const intervalPolicy: RateLimitPolicy = { name: 'mail-apart', quota: 1, windowSeconds: 60 };

/** Emails that a trusted recipient still receives after the project has reached its limit. */
const reservePolicy: RateLimitPolicy = { name: 'mail-reserve', quota: 1, windowSeconds: HOUR_SECONDS };

/**
 * Limits the entries for dropped emails in the email log, for each kind and address. The metrics count all dropped
 * emails.
 */
const dropLogPolicy: RateLimitPolicy = { name: 'mail-drop-log', quota: 5, windowSeconds: HOUR_SECONDS };

/** Purposes of emails with a link or a code, and of the notice that a stranger can trigger. */
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
 * Limits the emails that requests can trigger (requirements RL-08, MQ-01, MQ-02; ADR 0031). Counts only emails that
 * would be sent, so that responses reveal nothing, and requests for addresses that receive no email cannot exhaust a
 * limit.
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
   * @returns the exhausted limit, or null if the email may be sent. The response must be the same in both cases
   */
  async consumeForUnauthenticated(
    project: ProjectContext,
    request: MailRequest,
  ): Promise<MailRejection | null> {
    const wait = await this.limiter.consume(intervalPolicy, addressKey(project, request));
    if (wait !== null) return this.reject(request, 'too_soon', intervalPolicy, wait);
    return this.consume(project, request);
  }

  /**
   * Counts the email of a registration, which is the first of its kind to the address. The next one is allowed after a
   * minute at the earliest.
   * @returns the exhausted limit, or null if the email may be sent
   */
  async consumeForRegistration(project: ProjectContext, request: MailRequest): Promise<MailRejection | null> {
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
      return this.reject(request, 'recipient_limit', recipientPolicy, recipientWait);
    }
    if (purpose === 'notice') return null;
    const projectPolicy = hourlyPolicy('mail-project', mailLimits[purpose]);
    const projectWait = await this.limiter.consume(projectPolicy, projectKey(project, request));
    if (projectWait === null) return null;
    this.logger.warn({ projectId: project.id, purpose, quota: projectPolicy.quota }, 'email quota exhausted');
    // A stranger can exhaust a project's limit, but must not block the only email to a customer.
    const isReserved = request.isTrusted && (await this.limiter.consume(reservePolicy, recipient)) === null;
    return isReserved ? null : this.reject(request, 'project_limit', projectPolicy, projectWait);
  }

  /**
   * Counts an email for a caller who may be informed that a limit is reached.
   * @throws GatehouseError `rate_limited`
   */
  async assertAllowed(project: ProjectContext, request: MailRequest): Promise<void> {
    const rejection = await this.consume(project, request);
    if (!rejection) return;
    const detail = 'Too many emails were requested for this recipient or this project. Retry later.';
    throw limitReachedError('rate_limited', rejection.policy, rejection.retryAfterSeconds, { detail });
  }

  /**
   * Adds an email that was dropped because of a limit to the email log. Only the first emails of repeated requests are
   * added, so that they cannot fill the log.
   * @param tx the transaction of the change, which may create the customer
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

  private reject<Policy>(
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
 * Returns the key for a project limit. Emails to unverified addresses are counted separately, because registrations can
 * create any number of such addresses.
 */
const projectKey = (project: ProjectContext, request: MailRequest): string =>
  `${project.id}:${purposeOf(request)}:${request.isTrusted ? 'verified' : 'unverified'}`;

/**
 * Returns the key for a recipient. Emails to the new address of an email change are counted separately, because any
 * other customer can request them.
 */
function recipientKey(project: ProjectContext, request: MailRequest): string {
  const isNewAddress = request.kind === 'change-email-new';
  const scope = isNewAddress ? ':new' : request.isAuthenticated ? ':authenticated' : '';
  const mailbox = hashOf(mailboxOf(request.recipient));
  return `${projectKey(project, request)}${scope}:${mailbox}`;
}

const hashOf = (email: string): string => sha256(email).toString('base64url');
