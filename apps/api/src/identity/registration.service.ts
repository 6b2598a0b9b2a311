import { Injectable } from '@nestjs/common';
import {
  errorCatalogue,
  GatehouseError,
  invalidField,
  passwordWeaknesses,
  type Customer,
  type ProjectContext,
} from '#domain';
import type { KeyCaller } from '#auth';
import { CustomersRepository, EventsRepository, Transactions, type NewEvent, type Tx } from '#persistence';
import { KeyedLock, newId, PasswordHasher } from '#platform';
import { CustomerSummary } from '../customers/dto/customer.response.js';
import { isCommonPassword } from './common-passwords.js';
import type { RegisterRequest } from './dto/auth.request.js';
import type { AuthResponse } from './dto/auth.response.js';
import { customerEvent, sessionResource } from './identity-events.js';
import { SessionOpener, type Client } from './session-opener.service.js';
import { VerificationService } from './verification.service.js';

@Injectable()
export class RegistrationService {
  /** Parallel registrations of one address wait for each other, so that only one of them costs a hash. */
  private readonly perAddress = new KeyedLock();

  constructor(
    private readonly customers: CustomersRepository,
    private readonly events: EventsRepository,
    private readonly transactions: Transactions,
    private readonly hasher: PasswordHasher,
    private readonly sessions: SessionOpener,
    private readonly verification: VerificationService,
  ) {}

  /**
   * Creates a customer in the caller's project. Null where the project does not tell whether the address was
   * taken (`enumerationProtection`).
   * @throws GatehouseError `weak_password`, `email_already_registered`, `overloaded`
   */
  async register(caller: KeyCaller, input: RegisterRequest, client: Client): Promise<AuthResponse | null> {
    const { project } = caller;
    assertRedirectUrl(project, input.redirectUrl);
    assertStrongPassword(project, input);
    const answer = await this.perAddress.run(`${project.id} ${input.email}`, () =>
      this.create(caller, input, client),
    );
    return project.settings.enumerationProtection ? null : answer;
  }

  private async create(
    caller: KeyCaller,
    input: RegisterRequest,
    client: Client,
  ): Promise<AuthResponse | null> {
    const { project } = caller;
    const hidesTaken = project.settings.enumerationProtection;
    const existing = await this.customers.findByEmail(project.id, input.email);
    if (existing && !hidesTaken) throw alreadyRegistered(caller, existing);
    const passwordHash = await this.hasher.hash(input.password, client.signal);
    const answer = existing
      ? null
      : await this.transactions.run((tx) => this.insert(tx, project, { ...input, passwordHash }, client));
    if (answer || hidesTaken) return answer;
    throw alreadyRegistered(caller, await this.customers.findByEmail(project.id, input.email));
  }

  private async insert(
    tx: Tx,
    project: ProjectContext,
    input: RegisterRequest & { passwordHash: string },
    client: Client,
  ): Promise<AuthResponse | null> {
    const customer = await this.customers.insert(tx, project.id, {
      id: newId(),
      email: input.email,
      firstName: input.firstName ?? null,
      lastName: input.lastName ?? null,
      passwordHash: input.passwordHash,
    });
    if (!customer) return null;
    const { requireVerifiedEmail, enumerationProtection } = project.settings;
    const opened =
      requireVerifiedEmail || enumerationProtection
        ? null
        : await this.sessions.open(tx, customer, project, client);
    const requested = await this.verification.request(tx, customer, project, input.redirectUrl ?? null);
    const events: NewEvent[] = [customerEvent('customer.created', customer, project), requested];
    if (opened) {
      events.push(
        customerEvent('session.created', customer, project, { session: sessionResource(opened.session) }),
      );
    }
    await this.events.record(tx, events);
    return { tokens: opened?.tokens ?? null, customer: CustomerSummary.from(customer) };
  }
}

/** @throws GatehouseError `validation_failed` */
function assertRedirectUrl({ settings }: ProjectContext, redirectUrl: string | undefined): void {
  if (redirectUrl !== undefined && !settings.redirectUrls.includes(redirectUrl)) {
    throw invalidField(
      'redirectUrl',
      'not_allowed',
      "redirectUrl must be exactly one of the project's redirectUrls",
    );
  }
}

/** @throws GatehouseError `weak_password` */
function assertStrongPassword(project: ProjectContext, { email, password }: RegisterRequest): void {
  const reasons = passwordWeaknesses(password, {
    minLength: project.settings.passwordMinLength,
    email,
    words: [project.name, project.organizationName],
    isCommon: isCommonPassword,
  });
  if (reasons.length === 0) return;
  const errors = reasons.map((code) => ({
    field: 'password',
    code,
    message: errorCatalogue.weak_password.cure,
  }));
  throw new GatehouseError('weak_password', { errors, members: { reasons } });
}

/** Only a server learns whom the address belongs to. */
function alreadyRegistered(caller: KeyCaller, customer: Customer | null): GatehouseError {
  const members = caller.kind === 'secret-key' && customer ? { customerId: customer.id } : {};
  return new GatehouseError('email_already_registered', { members });
}
