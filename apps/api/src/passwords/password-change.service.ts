import { Injectable } from '@nestjs/common';
import type { CustomerCaller } from '@gatehouse/auth';
import { assertMethodEnabled, invalidField } from '@gatehouse/domain';
import {
  CustomersRepository,
  EventsRepository,
  ProjectsRepository,
  Transactions,
} from '@gatehouse/persistence';
import { PasswordHasher } from '@gatehouse/platform';
import { AccountLifecycleService } from '../accounts/account-lifecycle.service.js';
import { AuditService, customerAction } from '../audit/audit.service.js';
import { customerEvent } from '../events/customer-events.js';
import type { Client } from '../http/request-context.js';
import { RequiredProvidersService } from '../identities/required-providers.service.js';
import { OneTimeLinksService } from '../one-time-tokens/one-time-links.service.js';
import { PasswordCheckService } from './password-check.service.js';
import { PasswordPolicyService } from './password-policy.service.js';

/** Changes the password of a customer who provides the current one, or sets the first password. */
@Injectable()
export class PasswordChangeService {
  constructor(
    private readonly passwords: PasswordCheckService,
    private readonly policy: PasswordPolicyService,
    private readonly hasher: PasswordHasher,
    private readonly projects: ProjectsRepository,
    private readonly customers: CustomersRepository,
    private readonly required: RequiredProvidersService,
    private readonly lifecycle: AccountLifecycleService,
    private readonly links: OneTimeLinksService,
    private readonly events: EventsRepository,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Changes the caller's password, ends the caller's other sessions and notifies the caller by email.
   * @throws GatehouseError `validation_failed`, `invalid_credentials`, `too_many_attempts`, `weak_password`,
   * `overloaded`, `method_not_enabled`, `sso_required`, `reauthentication_required` without a recent proof of a second
   * factor
   */
  async change(
    caller: CustomerCaller,
    { currentPassword, newPassword }: { currentPassword?: string; newPassword: string },
    client: Client,
  ): Promise<void> {
    const project = await this.projects.getContext(caller.customer.projectId);
    const { id, email } = caller.customer;
    assertMethodEnabled(project, 'password');
    if (newPassword === currentPassword) {
      throw invalidField('newPassword', 'unchanged', 'newPassword must differ from the current password');
    }
    await this.required.assertAllowed(project, email);
    await this.policy.assertStrong(project, email, newPassword, 'newPassword');
    const authenticated = await this.passwords.confirmChange(project, caller, { currentPassword }, client);
    const passwordHash = await this.hasher.hashFor(project, newPassword, { signal: client.signal });
    await this.transactions.join(async (tx) => {
      await this.passwords.lockAuthenticated(tx, caller, authenticated);
      const customer = await this.customers.setPassword(tx, project.id, id, passwordHash);
      const revoked = await this.lifecycle.revokeAccess(
        tx,
        project,
        customer,
        'password_changed',
        caller.sessionId,
      );
      await this.links.notify(tx, 'password-changed', customer, project);
      this.events.record(tx, [customerEvent('password.changed', customer, project), ...revoked]);
      this.audit.record(tx, customerAction('customer.password_changed', customer, project));
    });
  }
}
