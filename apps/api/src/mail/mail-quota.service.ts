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

/** A quota that is used up, and the seconds until its window ends. */
export interface MailRefusal {
  policy: RateLimitPolicy;
  retryAfterSeconds: number;
}

const recipientPolicy: RateLimitPolicy = { name: 'mail-recipient', quota: 5, windowSeconds: 3600 };
const projectPolicy: RateLimitPolicy = { name: 'mail-project', quota: 2_000, windowSeconds: 3600 };

/** Least time between two mails of one kind to one address that strangers ask for. */
const intervalPolicy: RateLimitPolicy = { name: 'mail-apart', quota: 1, windowSeconds: 60 };

/**
 * How many mails people can make the house send (requirement RL-08). Only what would be written is counted: the
 * answers tell nothing, and nobody can use up a quota with addresses that get no mail.
 */
@Injectable()
export class MailQuotaService {
  constructor(
    private readonly limiter: RateLimiter,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Counts a mail that anybody can ask for; who is refused answers as if it had been written. */
  async tryConsume(project: ProjectContext, email: string, kind: MailKind): Promise<boolean> {
    const wait = await this.limiter.consume(intervalPolicy, `${recipientKey(project, email)}:${kind}`);
    return wait === null && (await this.consumeForRecipient(project, email)) === null;
  }

  /** Counts a mail that somebody who is logged in asks for. @returns what refuses it, null when it may be written */
  async consumeForRecipient(project: ProjectContext, email: string): Promise<MailRefusal | null> {
    const wait = await this.limiter.consume(recipientPolicy, recipientKey(project, email));
    return wait === null
      ? this.consumeForProject(project)
      : { policy: recipientPolicy, retryAfterSeconds: wait };
  }

  /** Counts the mail of a registration, which is the first to its address. */
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
