import { Inject, Injectable } from '@nestjs/common';
import type { ManagementCaller } from '@gatehouse/auth';
import {
  canonicalDomain,
  decideDomain,
  GatehouseError,
  notFound,
  type DomainFinding,
  type Project,
  type ProviderDomain,
} from '@gatehouse/domain';
import { ProjectsRepository, ProviderDomainsRepository, Transactions, type Tx } from '@gatehouse/persistence';
import { Config, DomainLookup, LOGGER, type Logger } from '@gatehouse/platform';
import { AuditService } from '../audit/audit.service.js';

/** A domain after a look-up of its record. */
export interface CheckedDomain {
  domain: ProviderDomain;
  finding: DomainFinding;
}

/** Verifies the domains of identity providers. */
@Injectable()
export class ProviderDomainsService {
  private readonly lookup: DomainLookup;

  constructor(
    private readonly domains: ProviderDomainsRepository,
    private readonly projects: ProjectsRepository,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
    config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.lookup = new DomainLookup(config);
  }

  /**
   * Looks up the record of a domain, which verifies it.
   * @throws GatehouseError `not_found`, `project_archived`, `conflict` if the domain is verified for another provider of the
   *   project
   */
  async verify(
    { reach }: ManagementCaller,
    projectId: string,
    providerId: string,
    name: string,
  ): Promise<CheckedDomain> {
    const project = await this.projects.get(reach, projectId);
    if (project.archivedAt) throw new GatehouseError('project_archived');
    const domain = canonicalDomain(name);
    if (domain === null) throw notFound();
    const key = { projectId, providerId, domain };
    const { finding, reason } = await this.lookup.find(await this.domains.get(key));
    if (reason !== null) this.logger.warn({ ...key, finding, reason }, 'look-up of domain record failed');
    return this.transactions.run(async (tx) => ({
      domain: await this.record(tx, project, key, finding),
      finding,
    }));
  }

  private async record(
    tx: Tx,
    { id: projectId, organizationId }: Project,
    key: Pick<ProviderDomain, 'projectId' | 'providerId' | 'domain'>,
    finding: DomainFinding,
  ): Promise<ProviderDomain> {
    const before = await this.domains.lock(tx, key);
    if (!before) throw notFound();
    const checked = await this.domains.recordCheck(tx, key, decideDomain(before, finding, before.time));
    const { domain, providerId: targetId } = key;
    const details = { domain, finding, verified: checked.verifiedAt !== null };
    this.audit.record(tx, {
      ...{ action: 'identity_provider.domain_checked', organizationId, projectId, targetId, details },
    });
    return checked;
  }
}
