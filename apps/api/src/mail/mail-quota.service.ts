import { Inject, Injectable } from '@nestjs/common';
import type { ProjectContext } from '@gatehouse/domain';
import {
  LOGGER,
  RateLimiter,
  sha256,
  type Logger,
  type MailKind,
  type RateLimitPolicy,
} from '@gatehouse/platform';

/** An exhausted quota, and the seconds until its window ends. */
export interface MailRefusal {
  policy: RateLimitPolicy;
  retryAfterSeconds: number;
}

const recipientPolicy: RateLimitPolicy = { name: 'mail-recipient', quota: 5, windowSeconds: 3600 };
const projectPolicy: RateLimitPolicy = { name: 'mail-project', quota: 2_000, windowSeconds: 3600 };

/**
 * Minimum interval between two emails of one kind to one address that unauthenticated callers can request.
 */
const intervalPolicy: RateLimitPolicy = { name: 'mail-apart', quota: 1, windowSeconds: 60 };

/**
 * Limits the emails that requests can trigger (requirement RL-08). Only emails that would be sent are
 * counted. The responses therefore reveal nothing, and requests for addresses that receive no email cannot
 * exhaust a quota.
 */
@Injectable()
export class MailQuotaService {
  constructor(
    private readonly limiter: RateLimiter,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Counts an email that an unauthenticated caller can request.
   * @returns false if a quota is exhausted; the response must then be the same as if the email had been sent
   */
  async tryConsume(project: ProjectContext, email: string, kind: MailKind): Promise<boolean> {
    const wait = await this.limiter.consume(intervalPolicy, `${recipientKey(project, email)}:${kind}`);
    return wait === null && (await this.consumeForRecipient(project, email)) === null;
  }

  /**
   * Counts an email that a signed-in customer requests.
   * @returns the exhausted quota, or null if it may be sent
   */
  async consumeForRecipient(project: ProjectContext, email: string): Promise<MailRefusal | null> {
    const wait = await this.limiter.consume(recipientPolicy, recipientKey(project, email));
    return wait === null
      ? this.consumeForProject(project)
      : { policy: recipientPolicy, retryAfterSeconds: wait };
  }

  /**
   * Counts the email of a registration, which is the first to its address.
   * @returns false if the quota of the project is exhausted
   */
  async tryConsumeFirst(project: ProjectContext, email: string, kind: MailKind): Promise<boolean> {
    const key = recipientKey(project, email);
    await this.limiter.consume(intervalPolicy, `${key}:${kind}`);
    await this.limiter.consume(recipientPolicy, key);
    return (await this.consumeForProject(project)) === null;
  }

  private async consumeForProject(project: ProjectContext): Promise<MailRefusal | null> {
    const wait = await this.limiter.consume(projectPolicy, project.id);
    if (wait === null) return null;
    this.logger.warn({ projectId: project.id, quota: projectPolicy.quota }, 'email quota exhausted');
    return { policy: projectPolicy, retryAfterSeconds: wait };
  }
}

const recipientKey = (project: ProjectContext, email: string): string =>
  `${project.id}:${sha256(email).toString('base64url')}`;
