import { Inject, Injectable } from '@nestjs/common';
import {
  deviceName,
  GatehouseError,
  type AuthenticationMethod,
  type Customer,
  type ProjectContext,
  type SignInFailureReason,
} from '@gatehouse/domain';
import { CustomersRepository, EventsRepository, Transactions, type Tx } from '@gatehouse/persistence';
import { errorMessage, LOGGER, type Logger } from '@gatehouse/platform';
import { customerEvent } from '../events/customer-events.js';
import type { Client } from '../http/request-context.js';
import { RecentKeys } from './recent-keys.js';

/** An existing customer's failed sign-in. */
export interface SignInFailure {
  reason: SignInFailureReason;
  methods: AuthenticationMethod[];
  client: Pick<Client, 'ip' | 'userAgent'>;
}

/**
 * Minimum interval at which this process records a customer's rejected sign-ins, in ms. The event is due at most once a
 * minute.
 */
const REJECTION_INTERVAL_MS = 60_000;

/** Records failed customer sign-ins as events. */
@Injectable()
export class FailedSignInsService {
  private readonly rejections = new RecentKeys(REJECTION_INTERVAL_MS);

  constructor(
    private readonly customers: CustomersRepository,
    private readonly events: EventsRepository,
    private readonly transactions: Transactions,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Records the event `login.failed`, if one is due, asynchronously, so that the response time reveals nothing.
   * @param lock locks and returns the customer, so that no event follows the customer's deletion
   * @param recordMore records further consequences of the failure
   */
  report<Owner extends Customer>(
    project: ProjectContext,
    failure: SignInFailure,
    lock: (tx: Tx) => Promise<Owner | null>,
    recordMore?: (tx: Tx, customer: Owner) => Promise<void>,
  ): void {
    // oxlint-disable-next-line gatehouse/joined-transactions -- the sign-in fails
    const recorded = this.transactions.run(async (tx) => {
      const customer = await lock(tx);
      if (!customer) return;
      if (await this.customers.claimLoginFailedEvent(tx, project.id, customer.id))
        this.record(tx, project, customer, failure);
      await recordMore?.(tx, customer);
    });
    this.logErrors(recorded);
  }

  /**
   * Records the event, if one is due, for a sign-in that is rejected regardless of the password or code. Clients can
   * repeat such sign-ins without an attempt limit, so the customer's row is locked only if the event is due. A repeated
   * rejection uses no database connection, so that its load does not reveal whether the address is known.
   * @param owner the customer, or an email address that may belong to one
   */
  reportRejection(
    project: ProjectContext,
    owner: { id: string } | { email: string },
    failure: SignInFailure,
  ): void {
    if (!this.rejections.add(`${project.id}:${'id' in owner ? owner.id : owner.email}`)) return;
    this.logErrors(this.recordRejection(project, owner, failure));
  }

  /** Awaits the required-provider check, and reports a sign-in that it rejects. */
  async reportOtherProvider(
    checked: Promise<void>,
    project: ProjectContext,
    owner: { id: string } | { email: string },
    failure: Omit<SignInFailure, 'reason'>,
  ): Promise<void> {
    try {
      await checked;
    } catch (error) {
      if (error instanceof GatehouseError && error.code === 'sso_required')
        this.reportRejection(project, owner, { reason: 'sso_required', ...failure });
      throw error;
    }
  }

  private async recordRejection(
    project: ProjectContext,
    owner: { id: string } | { email: string },
    failure: SignInFailure,
  ): Promise<void> {
    const found = 'id' in owner ? owner : await this.customers.findByEmail(project.id, owner.email);
    if (!found) return;
    // oxlint-disable-next-line gatehouse/joined-transactions -- the sign-in fails
    await this.transactions.run(async (tx) => {
      if (!(await this.customers.claimLoginFailedEvent(tx, project.id, found.id))) return;
      const customer = await this.customers.lock(tx, project.id, found.id);
      if (customer) this.record(tx, project, customer, failure);
    });
  }

  private record(
    tx: Tx,
    project: ProjectContext,
    customer: Customer,
    { reason, methods, client: { ip, userAgent } }: SignInFailure,
  ): void {
    const data = { reason, methods, device: deviceName(userAgent), ip, userAgent };
    this.events.record(tx, [customerEvent('login.failed', customer, project, data)]);
  }

  private logErrors(recorded: Promise<void>): void {
    recorded.catch((error: unknown) =>
      this.logger.warn({ reason: errorMessage(error) }, 'failed sign-in not recorded'),
    );
  }
}
