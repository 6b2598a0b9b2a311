import type { Organization } from '@gatehouse/domain';

/** A billing portal session. */
export interface PortalSession {
  /** Grants access as the organization without further authentication, so it is never logged. */
  url: string;
  /** Time at which the URL expires if it has not been opened. */
  expiresAt: Date;
}

/**
 * The portal where an organization manages its plan and its payments. The class is also the injection token. The
 * injected value is null without a billing provider.
 */
export abstract class BillingPortal {
  /**
   * Opens the portal for an organization; the portal links back to `returnUrl`.
   * @throws GatehouseError `billing_not_configured`, `billing_unavailable`, `validation_failed`
   */
  abstract open(organization: Organization, returnUrl: string): Promise<PortalSession>;
}
