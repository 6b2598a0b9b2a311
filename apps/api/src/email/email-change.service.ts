import { Injectable } from '@nestjs/common';
import type { CustomerCaller } from '@gatehouse/auth';
import { GatehouseError, hasErrorCode, invalidField, type ProjectContext } from '@gatehouse/domain';
import {
  CustomerChangesRepository,
  CustomersRepository,
  OneTimeTokensRepository,
  ProjectsRepository,
  Transactions,
  type OneTimeToken,
  type Sql,
} from '@gatehouse/persistence';
import { newId } from '@gatehouse/platform';
import { AccountLifecycleService } from '../accounts/account-lifecycle.service.js';
import { ChangeRecordsService } from '../change-records/change-records.service.js';
import type { Client, LinkClient } from '../http/request-context.js';
import { RequiredProvidersService } from '../identities/required-providers.service.js';
import { MailQuotaService, type MailRequest } from '../mail/mail-quota.service.js';
import { isRepeatable, OneTimeLinksService } from '../one-time-tokens/one-time-links.service.js';
import { PasswordCheckService, type ConfirmedChange } from '../passwords/password-check.service.js';
import { respondUniformly } from '../http/timing/respond-uniformly.js';

const KINDS = ['change-email-current', 'change-email-new'] as const;

export type EmailChangeStatus = 'pending' | 'changed';

/** Changes a customer's email address after both the current and the new address have confirmed the change. */
@Injectable()
export class EmailChangeService {
  constructor(
    private readonly passwords: PasswordCheckService,
    private readonly projects: ProjectsRepository,
    private readonly customers: CustomersRepository,
    private readonly changes: CustomerChangesRepository,
    private readonly tokens: OneTimeTokensRepository,
    private readonly links: OneTimeLinksService,
    private readonly lifecycle: AccountLifecycleService,
    private readonly quota: MailQuotaService,
    private readonly required: RequiredProvidersService,
    private readonly records: ChangeRecordsService,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Requests a confirmation of the change from both addresses. The current address always receives a link, which has no
   * effect unless the new address confirms as well. If the project has enumeration protection and the new address is
   * taken, its owner receives a notice instead of a link, and the response is the same.
   * @throws GatehouseError `invalid_credentials`, `too_many_attempts`, `email_already_registered` without enumeration
   * protection, `rate_limited`, `overloaded`, `sso_required`, `reauthentication_required` without a recent
   * second-factor proof
   */
  async request(
    caller: CustomerCaller,
    input: { email: string; password?: string },
    client: Client,
  ): Promise<void> {
    const { customer } = caller;
    const project = await this.projects.getContext(customer.projectId);
    if (input.email === customer.email) {
      throw invalidField('email', 'unchanged', 'email must differ from the current email address');
    }
    await this.assertChangeAllowed(project, customer.email, input.email);
    const authenticated = await this.passwords.confirmChange(
      project,
      caller,
      { password: input.password },
      client,
    );
    const isAvailable = await this.isAvailable(project, input.email);
    const isTrusted = customer.emailVerified;
    await this.quota.assertAllowed(project, {
      kind: 'change-email-current',
      recipient: customer.email,
      isTrusted,
    });
    const mayMail = await this.canMailNewAddress(project, customer.id, {
      kind: 'change-email-new',
      recipient: input.email,
      isTrusted,
    });
    await respondUniformly(
      this.requestConfirmations(caller, authenticated, project, {
        newEmail: input.email,
        isAvailable,
        mayMail,
      }),
    );
  }

  /**
   * Returns false instead of throwing if the project has enumeration protection: customers receive emails
   * that others do not, so an exhausted quota would reveal that a customer exists.
   * @throws GatehouseError `rate_limited` without enumeration protection
   */
  private async canMailNewAddress(
    project: ProjectContext,
    customerId: string,
    request: MailRequest,
  ): Promise<boolean> {
    if (!project.settings.enumerationProtection) {
      await this.quota.assertAllowed(project, request);
      return true;
    }
    const rejection = await this.quota.consume(project, request);
    if (rejection) await this.quota.recordDropped(project, customerId, request, rejection);
    return rejection === null;
  }

  private async requestConfirmations(
    caller: CustomerCaller,
    authenticated: ConfirmedChange,
    project: ProjectContext,
    { newEmail, isAvailable, mayMail }: { newEmail: string; isAvailable: boolean; mayMail: boolean },
  ): Promise<void> {
    await this.transactions.join(async (tx) => {
      const customer = await this.passwords.lockAuthenticated(tx, caller, authenticated);
      const link = { customer, project, groupId: newId(), newEmail };
      await this.links.send(tx, { ...link, kind: 'change-email-current' });
      const newAddressLink = { ...link, kind: 'change-email-new', email: newEmail } as const;
      if (isAvailable && mayMail) return this.links.send(tx, newAddressLink);
      // This link is never confirmed, so the link to the current address cannot complete the change.
      await this.links.createWithoutMail(tx, newAddressLink);
      if (mayMail) await this.links.notifyOwner(tx, newEmail, project);
    });
  }

  /** Returns a confirmation link's token, even if it is used or expired, or null if it is unknown. */
  find(token: string): Promise<OneTimeToken | null> {
    return this.links.find(KINDS, token);
  }

  /** Returns the new address of the change that a token belongs to. */
  async getNewEmail({ groupId }: OneTimeToken): Promise<string> {
    return (await this.tokens.getGroupStatus(groupId!)).newEmail;
  }

  /**
   * Confirms one of the two addresses of a change. The second confirmation changes the address.
   * @param client the client that sent the token; undefined if a hosted page has checked it
   * @throws GatehouseError `rate_limited`, `invalid_token`, `email_already_registered`, `origin_not_allowed`,
   *   `sso_required`
   */
  async confirm(token: string, client?: LinkClient): Promise<EmailChangeStatus> {
    return this.transactions.join(async (tx) => {
      const used = await this.links.use(tx, KINDS, token, client);
      if (!used.isFirstUse) throw new GatehouseError('invalid_token');
      const { newEmail, isComplete } = await this.tokens.getGroupStatus(used.token.groupId!, tx);
      if (!isComplete) return 'pending';
      const { project } = used.token;
      const { id, email, emailVerified } = used.customer;
      await this.assertChangeAllowed(project, email, newEmail, tx);
      const customer = await this.changes.changeEmail(tx, project.id, id, newEmail);
      await this.lifecycle.clearPreviousAddress(tx, project, used.customer, 'address_change_confirmed');
      const previous = emailVerified ? { email } : { email, emailVerified };
      const content = { data: { previous }, isByCustomer: true };
      await this.records.record(tx, 'email.changed', customer, project, content);
      return 'changed';
    });
  }

  /**
   * Confirms an address like `confirm`. Does nothing if the token has confirmed it within the last minute.
   * @returns the change's status
   * @throws GatehouseError the errors of `confirm`
   */
  async submit(token: string): Promise<EmailChangeStatus> {
    try {
      return await this.confirm(token);
    } catch (error) {
      const used = hasErrorCode(error, 'invalid_token') ? await this.find(token) : null;
      if (!isRepeatable(used)) throw error;
      return (await this.tokens.getGroupStatus(used.groupId!)).isComplete ? 'changed' : 'pending';
    }
  }

  /** @throws GatehouseError `sso_required` for a change into or out of a required provider's domain */
  private async assertChangeAllowed(
    project: ProjectContext,
    from: string,
    to: string,
    sql?: Sql,
  ): Promise<void> {
    for (const email of [from, to]) await this.required.assertAllowed(project, email, sql ? { sql } : {});
  }

  /**
   * Returns true if no customer has the address.
   * @throws GatehouseError `email_already_registered` without enumeration protection
   */
  private async isAvailable(project: ProjectContext, email: string): Promise<boolean> {
    if (!(await this.customers.findByEmail(project.id, email))) return true;
    if (!project.settings.enumerationProtection) throw new GatehouseError('email_already_registered');
    return false;
  }
}
