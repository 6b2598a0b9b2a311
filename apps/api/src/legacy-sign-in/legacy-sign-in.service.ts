import { Inject, Injectable } from '@nestjs/common';
import { isPasswordTooLong, type Customer, type ProjectContext } from '@gatehouse/domain';
import {
  CustomersRepository,
  LegacySignInRepository,
  TokenSubjectsRepository,
  Transactions,
  type Tx,
} from '@gatehouse/persistence';
import { LOGGER, PasswordHasher, type Logger } from '@gatehouse/platform';
import { AccountsService, type Admission } from '../accounts/accounts.service.js';
import { ChangeRecordsService } from '../change-records/change-records.service.js';
import type { Client } from '../http/request-context.js';
import type { CustomerWithPassword } from '../passwords/password-check.service.js';
import type { LegacyProfile } from './dto/legacy-profile.response.js';
import { LegacySystemClient } from './legacy-system.client.js';

/** Moves customers from a project's previous system at their first sign-in with a password. */
@Injectable()
export class LegacySignInService {
  constructor(
    private readonly legacySignIn: LegacySignInRepository,
    private readonly subjects: TokenSubjectsRepository,
    private readonly client: LegacySystemClient,
    private readonly accounts: AccountsService,
    private readonly customers: CustomersRepository,
    private readonly records: ChangeRecordsService,
    private readonly transactions: Transactions,
    private readonly hasher: PasswordHasher,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Returns the customer with this address and password if the previous system confirms them. Creates the customer, or
   * sets the password of an imported customer who has never set one in Gatehouse. As with an imported hash, the
   * password need not meet the current requirements. The caller must have counted the attempt and must not hold a
   * transaction.
   * @returns null if the customer cannot be moved or the password is wrong
   * @throws GatehouseError `overloaded`, `request_timeout`, `weak_password` if the correct password cannot be hashed
   */
  async migrateCustomer(
    project: ProjectContext,
    email: string,
    password: string,
    { signal }: Client,
  ): Promise<CustomerWithPassword | null> {
    if (!project.settings.legacySignIn || isPasswordTooLong(password)) return null;
    const system = await this.legacySignIn.findSystem(project.id, email);
    if (!system) return null;
    const profile = await this.client.findProfile(project.id, system, { email, password }, signal);
    if (!profile) return null;
    // For an imported customer, only the password is set.
    const admission = system.isImported
      ? null
      : await this.accounts.admit(project, 'legacy', { fields: profile });
    const passwordHash = await this.hasher.hashFor(project, password, { signal });
    const moved = await this.transactions.join((tx) =>
      this.store(tx, project, profile, passwordHash, admission),
    );
    if (moved) return { ...moved, passwordHash };
    // A concurrent sign-in may have moved the customer.
    const current = await this.customers.findByEmail(project.id, email);
    const hash = current?.passwordHash;
    if (hash && (await this.hasher.verify(password, hash, { projectId: project.id, signal })))
      return { ...current, passwordHash: hash };
    if (!current) {
      const reason = 'another customer has the externalId of the profile';
      this.logger.warn({ projectId: project.id, reason }, 'legacy sign-in failed');
    }
    return null;
  }

  /** Returns null if the customer cannot be moved, or if the address or external id is taken. */
  private async store(
    tx: Tx,
    project: ProjectContext,
    profile: LegacyProfile,
    passwordHash: string,
    admission: Admission | null,
  ): Promise<Customer | null> {
    const imported = await this.legacySignIn.setPassword(tx, project.id, profile.email, passwordHash);
    if (imported) {
      const details = { source: 'legacy_sign_in' };
      await this.records.record(tx, 'password.changed', imported, project, { details, isSilent: true });
      return imported;
    }
    const otherIds = await this.subjects.findCustomerIds(tx, project.id, [profile.externalId ?? null]);
    if (!admission || otherIds.size > 0) return null;
    return this.accounts.create(tx, admission, { passwordHash });
  }
}
