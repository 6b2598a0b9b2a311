import { Inject, Injectable } from '@nestjs/common';
import { decideDomain, type DomainFinding, type ProviderDomain } from '@gatehouse/domain';
import {
  AuditLogRepository,
  ProviderDomainsRepository,
  Transactions,
  type ClaimedDomain,
  type Tx,
} from '@gatehouse/persistence';
import { Config, DomainLookup, LOGGER, type Logger } from '@gatehouse/platform';

/** Maximum number of concurrent lookups. */
const BATCH_SIZE = 20;

/**
 * Looks up each verified domain's DNS record again once a day. A domain whose record has been missing for seven days is
 * no longer verified (ADR 0050).
 */
@Injectable()
export class DomainChecker {
  private readonly lookup: DomainLookup;

  constructor(
    private readonly domains: ProviderDomainsRepository,
    private readonly auditLog: AuditLogRepository,
    private readonly transactions: Transactions,
    config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.lookup = new DomainLookup(config);
  }

  /** Checks all domains that are due. Starts no further lookups after the signal is aborted. */
  async check(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const due = await this.domains.claimDue(BATCH_SIZE);
      await Promise.all(due.map((domain) => this.checkOne(domain)));
      if (due.length < BATCH_SIZE) return;
    }
  }

  private async checkOne(claimed: ClaimedDomain): Promise<void> {
    const { finding, reason } = await this.lookup.find(claimed);
    const { projectId, providerId, domain } = claimed;
    const fields = { projectId, providerId, domain, finding };
    if (finding === 'dns_error')
      return this.logger.warn({ ...fields, reason }, 'domain record lookup failed');
    const checked = await this.transactions.run((tx) => this.record(tx, claimed, finding));
    const { failingSince } = checked ?? {};
    if (!failingSince) return;
    const message = checked?.verifiedAt
      ? 'record of verified domain is missing'
      : 'domain is no longer verified';
    this.logger.warn({ ...fields, failingSince }, message);
  }

  /**
   * Records a lookup result. Returns whether the domain is still verified and since when lookups have failed, or null
   * if it was removed or was not verified.
   */
  private async record(
    tx: Tx,
    claimed: ClaimedDomain,
    finding: DomainFinding,
  ): Promise<Pick<ProviderDomain, 'verifiedAt' | 'failingSince'> | null> {
    const domain = await this.domains.lock(tx, claimed);
    // The domain may have been removed since the claim.
    if (!domain?.verifiedAt) return null;
    const state = decideDomain({ ...domain, checkedAt: claimed.previousCheckAt }, finding, domain.time);
    await this.domains.recordCheck(tx, domain, state);
    if (state.verifiedAt) return state;
    this.recordLapse(tx, { ...claimed, failingSince: domain.failingSince });
    return { verifiedAt: null, failingSince: domain.failingSince };
  }

  private recordLapse(
    tx: Tx,
    { organizationId, projectId, providerId, domain, failingSince }: ClaimedDomain,
  ): void {
    this.auditLog.insert(tx, {
      organizationId,
      projectId,
      actor: { type: 'system', id: null },
      action: 'identity_provider.domain_lapsed',
      targetId: providerId,
      ip: null,
      userAgent: null,
      requestId: null,
      details: { domain, failingSince: failingSince?.toISOString() ?? null },
    });
  }
}
