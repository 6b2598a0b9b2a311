import { Injectable } from '@nestjs/common';
import type { CustomerCaller } from '#auth';
import { GatehouseError, invalidField, type OneTimeTokenKind, type ProjectContext } from '#domain';
import {
  CustomersRepository,
  EventsRepository,
  OneTimeTokensRepository,
  ProjectsRepository,
  Transactions,
  type OneTimeToken,
} from '#persistence';
import { newId } from '#platform';
import { customerEvent } from '../customers/customer-events.js';
import type { Client } from '../http/request-context.js';
import { MailQuota } from '../mail/mail-quota.service.js';
import { OneTimeLinks } from './one-time-links.service.js';
import { invalidCredentials, PasswordCheck, type ProvenCustomer } from './password-check.service.js';
import { answerUniformly } from './uniform-answer.js';

const KINDS = ['change-email-current', 'change-email-new'] as const;

export type EmailChangeStatus = 'pending' | 'changed';

/** Another address for a customer, once both the old and the new one have confirmed it. */
@Injectable()
export class EmailChangeService {
  constructor(
    private readonly passwords: PasswordCheck,
    private readonly projects: ProjectsRepository,
    private readonly customers: CustomersRepository,
    private readonly tokens: OneTimeTokensRepository,
    private readonly links: OneTimeLinks,
    private readonly quota: MailQuota,
    private readonly events: EventsRepository,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Asks both addresses whether the customer may move from one to the other.
   * @throws GatehouseError `invalid_credentials`, `too_many_attempts`, `email_already_registered` where the project
   *   does not hide who is registered, `rate_limited`, `overloaded`
   */
  async request(
    { customer }: CustomerCaller,
    input: { email: string; password: string },
    client: Client,
  ): Promise<void> {
    const project = await this.projects.ofCustomer(customer.projectId);
    if (input.email === customer.email) {
      throw invalidField('email', 'unchanged', 'email is the address that the customer has already');
    }
    const proven = await this.passwords.confirm(
      project,
      customer.email,
      { password: input.password },
      client,
    );
    const isFree = await this.isFree(project, input.email);
    await this.assertMayMail(project, [customer.email, input.email]);
    await answerUniformly(isFree ? this.askBoth(proven, project, input.email) : null);
  }

  /** @throws GatehouseError `rate_limited`: whoever is logged in may know, and would wait for the mails in vain */
  private async assertMayMail(project: ProjectContext, emails: string[]): Promise<void> {
    for (const email of emails) {
      if (await this.quota.allowsOwn(project, email)) continue;
      const detail = 'Too many mails were asked for to one of the two addresses.';
      throw new GatehouseError('rate_limited', { detail, headers: { 'Retry-After': '3600' } });
    }
  }

  private async askBoth(customer: ProvenCustomer, project: ProjectContext, newEmail: string): Promise<void> {
    const both = { customer, project, groupId: newId(), newEmail };
    await this.transactions.run(async (tx) => {
      const current = await this.customers.lock(tx, project.id, customer.id);
      // Somebody else changed it meanwhile: then what was proved is no longer true.
      if (current?.passwordHash !== customer.passwordHash) throw invalidCredentials();
      await this.links.send(tx, { ...both, kind: 'change-email-current' });
      await this.links.send(tx, { ...both, kind: 'change-email-new', email: newEmail });
    });
  }

  /** The token of a confirmation link, whatever its state, without using it; null when there is none. */
  peek(token: string): Promise<OneTimeToken | null> {
    return this.links.peek(KINDS, token);
  }

  /** The address that the change of a token leads to. */
  async newEmailOf({ groupId }: OneTimeToken): Promise<string> {
    return (await this.tokens.groupStanding(groupId!)).newEmail;
  }

  /**
   * Confirms one side of a change; the second one changes the address.
   * @param origin of the page that asks, if it is not ours
   * @throws GatehouseError `invalid_token`, `email_already_registered`, `origin_not_allowed`
   */
  async confirm(token: string, origin?: string): Promise<EmailChangeStatus> {
    return this.transactions.run(async (tx) => {
      const used = await this.links.use(tx, KINDS, token, origin);
      if (!used.isFirst) throw new GatehouseError('invalid_token');
      const { newEmail, isComplete } = await this.tokens.groupStanding(used.token.groupId!, tx);
      if (!isComplete) return 'pending';
      const { project } = used.token;
      const { id, email } = used.customer;
      const customer = await this.customers.changeEmail(tx, project.id, id, newEmail);
      const stale: OneTimeTokenKind[] = ['verify-email', 'reset-password', 'accept-invite'];
      await this.tokens.voidAll(tx, id, stale);
      const changed = customerEvent('email.changed', customer, project, { previous: { email } });
      await this.events.record(tx, [changed]);
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
