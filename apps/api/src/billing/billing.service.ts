import { Inject, Injectable } from '@nestjs/common';
import type { SecretKeyCaller } from '@gatehouse/auth';
import { entireInstallation, GatehouseError, invalidField, returnUrlProblem } from '@gatehouse/domain';
import { OrganizationsRepository, Transactions } from '@gatehouse/persistence';
import { Config } from '@gatehouse/platform';
import { AuditService } from '../audit/audit.service.js';
import { BillingPortal, type PortalSession } from './billing-portal.js';
import { BuiltInBilling } from './built-in-billing.js';
import type { BillingPortalRequest } from './dto/billing-portal.request.js';

@Injectable()
export class BillingService {
  constructor(
    private readonly organizations: OrganizationsRepository,
    private readonly builtIn: BuiltInBilling,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
    private readonly config: Config,
    @Inject(BillingPortal) private readonly portal: BillingPortal | null,
  ) {}

  /** The configured billing provider. */
  get provider(): 'stripe' | 'built_in' | 'off' {
    if (!this.portal) return 'off';
    return this.config.billing.stripeKey ? 'stripe' : 'built_in';
  }

  /**
   * Opens the portal for the caller's organization, or for an organization that it created. In production without a
   * provider, the response is 501, because a retry would not help and a simulated page would mislead.
   * @throws GatehouseError `not_found`, `insufficient_access`, `validation_failed`, `billing_not_configured`,
   *   `billing_unavailable`
   */
  async open(
    { project, accessScope, access }: SecretKeyCaller,
    { returnUrl, organizationId = project.organizationId }: BillingPortalRequest,
  ): Promise<PortalSession> {
    const organization = await this.organizations.get(accessScope, organizationId);
    if (organization.id !== project.organizationId && access !== 'organization') {
      throw new GatehouseError('insufficient_access', { members: { requiredAccess: 'organization' } });
    }
    const problem = returnUrlProblem(returnUrl, organization.billingReturnOrigins, this.config.production);
    if (problem) throw invalidField('returnUrl', 'not_allowed', problem);
    if (!this.portal) {
      const detail = 'No billing provider is configured. Set STRIPE_SECRET_KEY.';
      throw new GatehouseError('billing_not_configured', { detail });
    }
    const session = await this.portal.open(organization, returnUrl);
    const action = 'organization.billing_portal_opened';
    await this.transactions.join((tx) =>
      this.audit.record(tx, { action, organizationId, projectId: null, targetId: organizationId }),
    );
    return session;
  }

  /** Returns the built-in page's content, or null for a token that Gatehouse did not create. */
  async readVisit(
    token: string,
  ): Promise<{ organizationName: string; returnUrl: string; isExpired: boolean } | null> {
    const visit = this.builtIn.readToken(token);
    if (!visit) return null;
    const { organizationId, ...rest } = visit;
    const { name } = await this.organizations.get(entireInstallation, organizationId);
    return { organizationName: name, ...rest };
  }
}
