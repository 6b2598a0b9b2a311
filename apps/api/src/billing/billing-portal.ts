import type { Organization } from '@gatehouse/domain';

/** A way into the billing portal. */
export interface PortalSession {
  /** Whoever has it is let in as the organization, so it is never logged. */
  url: string;
  /** When the way closes, unless it was taken before. */
  expiresAt: Date;
}

/** Where an organization looks after its plan and its payments; also the injection token, of null where there is none. */
export abstract class BillingPortal {
  /**
   * Opens the portal for an organization; from there it leads back to `returnUrl`.
   * @throws GatehouseError `billing_not_configured`, `billing_unavailable`, `validation_failed`
   */
  abstract open(organization: Organization, returnUrl: string): Promise<PortalSession>;
}
