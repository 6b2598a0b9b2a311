import { Injectable } from '@nestjs/common';
import type { CustomerCaller } from '@gatehouse/auth';
import { GatehouseError, invalidField, type OneTimeTokenKind, type ProjectContext } from '@gatehouse/domain';
import {
  CustomersRepository,
  EventsRepository,
  OneTimeTokensRepository,
  ProjectsRepository,
  Transactions,
  type OneTimeToken,
} from '@gatehouse/persistence';
import { newId, rateLimitHeaders } from '@gatehouse/platform';
import { AuditService, customerAction } from '../audit/audit.service.js';
import { customerEvent } from '../events/customer-events.js';
import type { Client } from '../http/request-context.js';
import { MailQuotaService } from '../mail/mail-quota.service.js';
import { OneTimeLinksService } from '../one-time-tokens/one-time-links.service.js';
import { PasswordCheckService, type AuthenticatedCustomer } from '../passwords/password-check.service.js';
import { respondUniformly } from '../http/uniform-response.js';

const KINDS = ['change-email-current', 'change-email-new'] as const;

export type EmailChangeStatus = 'pending' | 'changed';

/** Another address for a customer, once both the old and the new one have confirmed it. */
@Injectable()
export class EmailChangeService {
  constructor(
    private readonly passwords: PasswordCheckService,
    private readonly projects: ProjectsRepository,
    private readonly customers: CustomersRepository,
    private readonly tokens: OneTimeTokensRepository,
    private readonly links: OneTimeLinksService,
    private readonly quota: MailQuotaService,
    private readonly events: EventsRepository,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Asks both addresses whether the customer may move from one to the other. Where the project hides who is
   * registered, the address that they have is asked in any case, and a link leads nowhere that is not answered by
   * the other side: only the owner of a taken address learns more.
   * @throws GatehouseError `invalid_credentials`, `too_many_attempts`, `email_already_registered` where the project
   *   does not hide who is registered, `rate_limited`, `overloaded`
   */
  async request(
    { customer }: CustomerCaller,
    input: { email: string; password: string },
    client: Client,
  ): Promise<void> {
    const project = await this.projects.getContext(customer.projectId);
    if (input.email === customer.email) {
      throw invalidField('email', 'unchanged', 'email must differ from the current email address');
    }
    const proven = await this.passwords.confirm(project, customer, { password: input.password }, client);
    const isFree = await this.isFree(project, input.email);
    await this.assertWithinMailQuota(project, customer.email);
    const mayMail = await this.canMailNewAddress(project, input.email);
    await respondUniformly(
      this.requestConfirmations(proven, project, { newEmail: input.email, isFree, mayMail }),
    );
  }

  /** @throws GatehouseError `rate_limited`: whoever is logged in may know, and would wait for the mail in vain */
  private async assertWithinMailQuota(project: ProjectContext, email: string): Promise<void> {
    const refusal = await this.quota.consumeForRecipient(project, email);
    if (!refusal) return;
    const detail = 'Too many emails were requested for one of the two addresses. Retry later.';
    throw new GatehouseError('rate_limited', {
      detail,
      headers: rateLimitHeaders(refusal.policy, refusal.retryAfterSeconds),
    });
  }

  /**
   * False, where the project hides who is registered, instead of an error: customers get mails that nobody else
   * gets, so that a quota used up tells that there is one.
   * @throws GatehouseError `rate_limited` elsewhere
   */
  private async canMailNewAddress(project: ProjectContext, email: string): Promise<boolean> {
    if (project.settings.enumerationProtection)
      return !(await this.quota.consumeForRecipient(project, email));
    await this.assertWithinMailQuota(project, email);
    return true;
  }

  private async requestConfirmations(
    proven: AuthenticatedCustomer,
    project: ProjectContext,
    { newEmail, isFree, mayMail }: { newEmail: string; isFree: boolean; mayMail: boolean },
  ): Promise<void> {
    await this.transactions.run(async (tx) => {
      const customer = await this.passwords.lockAuthenticated(tx, proven);
      const both = { customer, project, groupId: newId(), newEmail };
      await this.links.send(tx, { ...both, kind: 'change-email-current' });
      const fresh = { ...both, kind: 'change-email-new', email: newEmail } as const;
      if (isFree && mayMail) return this.links.send(tx, fresh);
      // Never confirmed, so that the link of the mail before stays one half of a change.
      await this.links.createWithoutMail(tx, fresh);
      if (mayMail) await this.links.notifyOwner(tx, newEmail, project);
    });
  }

  /** The token of a confirmation link, whatever its state, without using it; null when there is none. */
  find(token: string): Promise<OneTimeToken | null> {
    return this.links.find(KINDS, token);
  }

  /** The address that the change of a token leads to. */
  async getNewEmail({ groupId }: OneTimeToken): Promise<string> {
    return (await this.tokens.getGroupStatus(groupId!)).newEmail;
  }

  /**
   * Confirms one side of a change; the second one changes the address.
   * @param origin of the page that asks, if it is not ours
   * @throws GatehouseError `invalid_token`, `email_already_registered`, `origin_not_allowed`
   */
  async confirm(token: string, origin?: string): Promise<EmailChangeStatus> {
    return this.transactions.run(async (tx) => {
      const used = await this.links.use(tx, KINDS, token, origin);
      if (!used.isFirstUse) throw new GatehouseError('invalid_token');
      const { newEmail, isComplete } = await this.tokens.getGroupStatus(used.token.groupId!, tx);
      if (!isComplete) return 'pending';
      const { project } = used.token;
      const { id, email, emailVerified } = used.customer;
      const customer = await this.customers.changeEmail(tx, project.id, id, newEmail);
      const stale: OneTimeTokenKind[] = ['verify-email', 'reset-password', 'accept-invite'];
      await this.tokens.voidAll(tx, id, stale);
      const previous = emailVerified ? { email } : { email, emailVerified };
      await this.events.record(tx, [customerEvent('email.changed', customer, project, { previous })]);
      const action = customerAction('customer.email_changed', customer, project);
      await this.audit.record(tx, { ...action, customerId: id });
      return 'changed';
    });
  }

  /** @throws GatehouseError `email_already_registered` where the project tells who is registered */
  private async isFree(project: ProjectContext, email: string): Promise<boolean> {
    if (!(await this.customers.findByEmail(project.id, email))) return true;
    if (!project.settings.enumerationProtection) throw new GatehouseError('email_already_registered');
    return false;
  }
}
