import { Injectable } from '@nestjs/common';
import {
  assertMethodEnabled,
  defaultRedirectUrl,
  GatehouseError,
  notFound,
  type AuditAction,
  type OneTimeTokenKind,
  type ProjectContext,
  type AccessScope,
} from '@gatehouse/domain';
import {
  CustomersRepository,
  EventsRepository,
  Transactions,
  type CustomerWithPasswordHash,
  type NewEvent,
  type Tx,
} from '@gatehouse/persistence';
import { AuditService, customerAction } from '../audit/audit.service.js';
import { OneTimeLinksService } from '../one-time-tokens/one-time-links.service.js';
import { RequiredProvidersService } from '../identities/required-providers.service.js';
import { PasswordResetService } from '../passwords/password-reset.service.js';
import { MailQuotaService } from '../mail/mail-quota.service.js';

/** An email type with a link. */
interface LinkMail {
  kind: OneTimeTokenKind;
  action: Extract<AuditAction, `customer.${string}_sent`>;
  /** Returns the reason why a customer cannot receive the email, or false if they can. */
  blockedReason?: (customer: CustomerWithPasswordHash) => string | false;
  send: (
    tx: Tx,
    customer: CustomerWithPasswordHash,
    project: ProjectContext,
    redirectUrl: string | null,
  ) => Promise<NewEvent[]>;
}

/**
 * Resends emails with links at the request of an operator or a secret key. Each email voids the previous links.
 * Each method throws GatehouseError `not_found`, `project_archived`, `conflict` if there is nothing to send,
 * `method_not_enabled` if the link sets a password, `sso_required` if the address requires another method,
 * `rate_limited`.
 */
@Injectable()
export class CustomerMailsService {
  constructor(
    private readonly customers: CustomersRepository,
    private readonly resets: PasswordResetService,
    private readonly links: OneTimeLinksService,
    private readonly quota: MailQuotaService,
    private readonly required: RequiredProvidersService,
    private readonly events: EventsRepository,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
  ) {}

  sendVerification(accessScope: AccessScope, id: string): Promise<void> {
    return this.send(accessScope, id, {
      kind: 'verify-email',
      action: 'customer.verification_sent',
      blockedReason: ({ emailVerified }) => emailVerified && 'The email address is already verified.',
      send: async (...args) => [await this.links.sendVerification(...args)],
    });
  }

  sendPasswordReset(accessScope: AccessScope, id: string): Promise<void> {
    return this.send(accessScope, id, {
      kind: 'reset-password',
      action: 'customer.password_reset_sent',
      send: async (...args) => [await this.resets.createLink(...args)],
    });
  }

  sendInvitation(accessScope: AccessScope, id: string): Promise<void> {
    return this.send(accessScope, id, {
      kind: 'accept-invite',
      action: 'customer.invitation_sent',
      blockedReason: ({ passwordHash }) =>
        passwordHash !== null && 'The customer already has a password. Send a password reset email instead.',
      send: async (tx, customer, project, redirectUrl) => {
        await this.links.send(tx, { kind: 'accept-invite', customer, project, redirectUrl });
        return [];
      },
    });
  }

  private async send(
    accessScope: AccessScope,
    id: string,
    { kind, action, blockedReason, send }: LinkMail,
  ): Promise<void> {
    const assertMailable = (customer: CustomerWithPasswordHash | null): CustomerWithPasswordHash => {
      if (!customer) throw notFound();
      const detail = customer.disabledAt
        ? 'The customer is disabled. Enable the customer first.'
        : blockedReason?.(customer);
      if (detail) throw new GatehouseError('conflict', { detail });
      return customer;
    };
    const { customer: found, project } = await this.customers.getActive(accessScope, id);
    if (kind !== 'verify-email') assertMethodEnabled(project, 'password');
    const { email } = assertMailable(await this.customers.findByEmail(project.id, found.email));
    if (kind !== 'verify-email') await this.required.assertAllowed(project, email);
    await this.quota.assertAllowed(project, {
      kind,
      recipient: email,
      isTrusted: true,
      isAuthenticated: true,
    });
    await this.transactions.join(async (tx) => {
      const customer = assertMailable(await this.customers.lock(tx, project.id, id));
      const redirectUrl = defaultRedirectUrl(project.settings);
      this.events.record(tx, await send(tx, customer, project, redirectUrl));
      this.audit.record(tx, customerAction(action, customer, project));
    });
  }
}
