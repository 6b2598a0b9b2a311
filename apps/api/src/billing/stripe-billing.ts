import type { Stripe } from 'stripe';
import { GatehouseError, parseValidUrl, type Organization } from '@gatehouse/domain';
import type { BillingCustomer, BillingCustomersRepository } from '@gatehouse/persistence';
import { createFilteredAgents, withTimeout, type Config, type Logger } from '@gatehouse/platform';
import type { BillingPortal, PortalSession } from './billing-portal.js';
import { billingError, isCustomerMissing, isIdempotencyKeyUsed, stripeLogFields } from './stripe-errors.js';

/** Time limit for all requests that open a portal session, in ms. The caller receives a response within 5 s. */
const DEADLINE_MS = 4_000;

/** Lifetime of an unopened session, in ms. Stripe does not report it, but it is about five minutes. */
const UNOPENED_SESSION_MS = 5 * 60_000;

type LinkedCustomer = BillingCustomer & { customerId: string };

/**
 * Stripe's customer portal. An organization becomes a Stripe customer when it opens the portal for the first time.
 */
export class StripeBilling implements BillingPortal {
  private constructor(
    private readonly stripe: Stripe,
    private readonly customers: BillingCustomersRepository,
    private readonly logger: Logger,
  ) {}

  /** Loads the Stripe client, which uses 20 MB of memory, only if Stripe is configured. Sends no request. */
  static async load(
    { stripeKey, stripeApiBase }: Config['billing'] & { stripeKey: string },
    customers: BillingCustomersRepository,
    logger: Logger,
  ): Promise<StripeBilling> {
    const { Stripe } = await import('stripe');
    const { protocol, hostname, port } = parseValidUrl(stripeApiBase);
    const { httpAgent, httpsAgent } = createFilteredAgents(true);
    const stripe = new Stripe(stripeKey, {
      protocol: protocol === 'http:' ? 'http' : 'https',
      host: hostname,
      port: port || (protocol === 'http:' ? 80 : 443),
      httpClient: Stripe.createNodeHttpClient(protocol === 'http:' ? httpAgent : httpsAgent),
      // Applies only to an idle socket; `withTimeout` enforces the deadline for the whole operation.
      timeout: DEADLINE_MS,
      // Retries are half a second apart. A 409 is also retried: Stripe returns it while another request with the same
      // idempotency key is in progress.
      maxNetworkRetries: 2,
      telemetry: false,
    });
    return new StripeBilling(stripe, customers, logger);
  }

  async open(organization: Organization, returnUrl: string): Promise<PortalSession> {
    try {
      return await withTimeout(
        this.openSession(organization, returnUrl),
        DEADLINE_MS,
        'Stripe did not respond in time',
      );
    } catch (error) {
      if (error instanceof GatehouseError) throw error;
      this.logger.warn(
        { organizationId: organization.id, ...stripeLogFields(error) },
        'billing portal creation failed',
      );
      throw billingError(error);
    }
  }

  private async openSession(organization: Organization, returnUrl: string): Promise<PortalSession> {
    const customer = await this.findOrCreateCustomer(organization);
    try {
      return await this.createSession(customer, returnUrl);
    } catch (error) {
      if (!isCustomerMissing(error)) throw error;
      // The customer was deleted in the dashboard, or belongs to a previous key's Stripe account.
      await this.customers.reset(organization.id, customer);
      return this.createSession(await this.findOrCreateCustomer(organization), returnUrl);
    }
  }

  private async findOrCreateCustomer({ id, name }: Organization): Promise<LinkedCustomer> {
    const { creationKey, customerId } = await this.customers.findOrCreate(id);
    if (customerId) return { creationKey, customerId };
    try {
      const created = await this.stripe.customers.create(
        { name, metadata: { gatehouse_organization_id: id } },
        { idempotencyKey: `gatehouse-${creationKey}` },
      );
      return { creationKey, customerId: await this.customers.saveCustomerId(id, created.id) };
    } catch (error) {
      if (isIdempotencyKeyUsed(error)) await this.customers.reset(id, { creationKey, customerId });
      throw error;
    }
  }

  private async createSession({ customerId }: LinkedCustomer, returnUrl: string): Promise<PortalSession> {
    const { url, created } = await this.stripe.billingPortal.sessions.create({
      customer: customerId,
      return_url: returnUrl,
    });
    return { url, expiresAt: new Date(created * 1_000 + UNOPENED_SESSION_MS) };
  }
}
