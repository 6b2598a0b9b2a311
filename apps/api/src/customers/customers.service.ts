import { Injectable } from '@nestjs/common';
import type { CustomerCaller, ManagementCaller } from '@gatehouse/auth';
import {
  assertMethodEnabled,
  defaultRedirectUrl,
  GatehouseError,
  invalidField,
  notFound,
  type Customer,
  type ProjectContext,
  type AccessScope,
} from '@gatehouse/domain';
import {
  CustomersRepository,
  EventsRepository,
  ProjectsRepository,
  TokenSubjectsRepository,
  Transactions,
  type CustomerDetails,
  type Tx,
} from '@gatehouse/persistence';
import { isNewHashFormat, PasswordHasher } from '@gatehouse/platform';
import { AccountLifecycleService } from '../accounts/account-lifecycle.service.js';
import { AccountsService } from '../accounts/accounts.service.js';
import { AuditService, customerAction } from '../audit/audit.service.js';
import type { Client } from '../http/request-context.js';
import { PasswordCheckService } from '../passwords/password-check.service.js';
import { PasswordPolicyService } from '../passwords/password-policy.service.js';
import { RunningApisService } from '../running-apis/running-apis.service.js';
import type { CreateCustomerRequest } from './dto/customer.request.js';

/** Manages customers, for servers and for customers themselves. */
@Injectable()
export class CustomersService {
  constructor(
    private readonly customers: CustomersRepository,
    private readonly projects: ProjectsRepository,
    private readonly lifecycle: AccountLifecycleService,
    private readonly passwords: PasswordCheckService,
    private readonly policy: PasswordPolicyService,
    private readonly hasher: PasswordHasher,
    private readonly accounts: AccountsService,
    private readonly subjects: TokenSubjectsRepository,
    private readonly events: EventsRepository,
    private readonly audit: AuditService,
    private readonly apis: RunningApisService,
    private readonly transactions: Transactions,
  ) {}

  /** Returns a customer in an active or archived project. @throws GatehouseError `not_found` */
  get(accessScope: AccessScope, id: string): Promise<CustomerDetails> {
    return this.customers.get(accessScope, id);
  }

  /**
   * Creates a customer for a server: with a password, with a password hash from another system, or without a password.
   * `sendInvite` sends an email with a link to set the first password.
   * @throws GatehouseError `not_found` for a project outside the caller's access scope, `project_archived`,
   * `method_not_enabled` and `sso_required` for an invitation, `weak_password`, `email_already_registered`,
   * `external_id_taken`, `rate_limited`, `overloaded`, `conflict` for a password hash that an API process on an earlier
   * version cannot verify
   */
  async create(caller: ManagementCaller, input: CreateCustomerRequest, client: Client): Promise<Customer> {
    const project = await this.getProject(caller, input.projectId);
    assertConsistent(input);
    if (input.sendInvite) assertMethodEnabled(project, 'password');
    const source = input.sendInvite ? 'invitation' : 'server';
    const admission = await this.accounts.admit(project, source, { fields: input });
    await this.accounts.countMail(admission);
    const passwordHash = await this.resolvePasswordHash(project, input, client);
    const redirectUrl = defaultRedirectUrl(project.settings);
    const created = await this.transactions.join(async (tx) => {
      if (input.passwordHash !== undefined && isNewHashFormat(input.passwordHash))
        await this.apis.assertNoOlderApi(tx, 'password hash');
      const customer = await this.accounts.create(tx, admission, { passwordHash, redirectUrl });
      if (customer) await this.subjects.assertNotAnotherCustomersId(tx, customer);
      return customer;
    });
    if (created) return created;
    const sameEmail = await this.customers.findByEmail(project.id, input.email);
    if (!sameEmail) throw new GatehouseError('external_id_taken');
    throw new GatehouseError('email_already_registered', { members: { customerId: sameEmail.id } });
  }

  /**
   * Disables a customer and revokes their sessions.
   * @param reason for the audit log
   * @throws GatehouseError `not_found`, `project_archived`
   */
  disable(accessScope: AccessScope, id: string, reason?: string): Promise<Customer> {
    return this.change(accessScope, id, (...locked) => this.lifecycle.disable(...locked, reason));
  }

  /** Enables a disabled customer. @param reason for the audit log @throws GatehouseError `not_found`, `project_archived` */
  enable(accessScope: AccessScope, id: string, reason?: string): Promise<Customer> {
    return this.change(accessScope, id, (...locked) => this.lifecycle.enable(...locked, reason));
  }

  /**
   * Resets the counts of a customer's failed passwords and second factors. @throws GatehouseError `not_found`,
   * `project_archived`
   */
  unlock(accessScope: AccessScope, id: string): Promise<Customer> {
    return this.change(accessScope, id, async (tx, project, customer) => {
      this.events.record(tx, await this.passwords.unlockAll(tx, project, customer));
      this.audit.record(tx, customerAction('customer.unlocked', customer, project));
      return customer;
    });
  }

  /**
   * Requires a new proof of identity before any of a customer's sessions can be refreshed.
   * @throws GatehouseError `not_found`, `project_archived`
   */
  requireReauthentication(accessScope: AccessScope, id: string): Promise<Customer> {
    return this.change(accessScope, id, async (tx, project, customer) => {
      await this.customers.requireProof(tx, project.id, id);
      this.audit.record(tx, customerAction('customer.reauthentication_required', customer, project));
      return customer;
    });
  }

  /**
   * Deletes a customer with all data that belongs only to the customer, and erases their data in other records. Also
   * deletes a customer in an archived project.
   * @throws GatehouseError `not_found`
   */
  async delete(accessScope: AccessScope, id: string): Promise<void> {
    const { project } = await this.customers.get(accessScope, id);
    await this.transactions.join(async (tx) =>
      this.lifecycle.delete(tx, project, await this.lock(tx, project, id)),
    );
  }

  /**
   * @throws GatehouseError `invalid_credentials`, `too_many_attempts`, `overloaded`; `reauthentication_required`
   *   without a recent second-factor proof
   */
  async deleteMe(caller: CustomerCaller, currentPassword: string | undefined, client: Client): Promise<void> {
    const project = await this.projects.getContext(caller.customer.projectId);
    const authenticated = await this.passwords.confirmChange(project, caller, { currentPassword }, client);
    await this.transactions.join(async (tx) => {
      const customer = await this.passwords.lockAuthenticated(tx, caller, authenticated);
      await this.lifecycle.delete(tx, project, customer);
    });
  }

  /**
   * Runs `work` in a transaction that has locked the customer. @throws GatehouseError `not_found`,
   * `project_archived`
   */
  private async change(
    accessScope: AccessScope,
    id: string,
    work: (tx: Tx, project: ProjectContext, customer: Customer) => Promise<Customer>,
  ): Promise<Customer> {
    const { project } = await this.customers.getActive(accessScope, id);
    return this.transactions.join(async (tx) => work(tx, project, await this.lock(tx, project, id)));
  }

  /**
   * Locks and returns a customer.
   * @throws GatehouseError `not_found` if the customer has been deleted
   */
  private async lock(tx: Tx, project: ProjectContext, id: string): Promise<Customer> {
    const customer = await this.customers.lock(tx, project.id, id);
    if (!customer) throw notFound();
    return customer;
  }

  /** @throws GatehouseError `not_found`, `project_archived` */
  private async getProject(caller: ManagementCaller, projectId: string | undefined): Promise<ProjectContext> {
    const own = caller.project;
    if (own && (projectId ?? own.id) === own.id) return own;
    if (projectId === undefined) throw invalidField('projectId', 'required', 'projectId is required');
    return this.projects.getActive(caller.accessScope, projectId);
  }

  private async resolvePasswordHash(
    project: ProjectContext,
    { email, password, passwordHash }: CreateCustomerRequest,
    client: Client,
  ): Promise<string | null> {
    if (passwordHash !== undefined) return this.hasher.importHash(passwordHash).stored;
    if (password === undefined) return null;
    await this.policy.assertStrong(project, email, password);
    return this.hasher.hashFor(project, password, { signal: client.signal });
  }
}

/** @throws GatehouseError `validation_failed` for fields that exclude each other */
function assertConsistent({ password, passwordHash, sendInvite }: CreateCustomerRequest): void {
  if (passwordHash !== undefined && password !== undefined)
    throw invalidField('passwordHash', 'conflict', 'passwordHash cannot be combined with password');
  if (sendInvite && (passwordHash ?? password) !== undefined) {
    const message = 'sendInvite cannot be combined with password or passwordHash';
    throw invalidField('sendInvite', 'conflict', message);
  }
}
