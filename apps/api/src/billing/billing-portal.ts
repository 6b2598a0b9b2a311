import type { Organization } from '@gatehouse/domain';

/** A billing portal session. */
export interface PortalSession {
  /** Grants access as the organization without further authentication, so it is never logged. */
  url: string;
  /** Time at which the URL expires, unless it has been opened before. */
  expiresAt: Date;
}

/**
 * The portal where an organization manages its plan and its payments. Also the injection token; its value is
 * null without a billing provider.
 */
export abstract class BillingPortal {
  /**
   * Opens the portal for an organization; the portal links back to `returnUrl`.
   * @throws GatehouseError `billing_not_configured`, `billing_unavailable`, `validation_failed`
   */
  abstract open(organization: Organization, returnUrl: string): Promise<PortalSession>;
}
