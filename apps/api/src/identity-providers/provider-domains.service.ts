import { Inject, Injectable } from '@nestjs/common';
import type { ManagementCaller } from '@gatehouse/auth';
import {
  canonicalDomain,
  decideDomain,
  GatehouseError,
  notFound,
  type DomainFinding,
  type Project,
  type IdentityProvider,
  type ProviderDomain,
} from '@gatehouse/domain';
import { ProjectsRepository, ProviderDomainsRepository, Transactions, type Tx } from '@gatehouse/persistence';
import { Config, DomainLookup, LOGGER, secureBytes, type Logger } from '@gatehouse/platform';
import { AuditService } from '../audit/audit.service.js';

/** A domain and the result of its record lookup. */
export interface CheckedDomain {
  domain: ProviderDomain;
  finding: DomainFinding;
}

/** Verifies identity provider domains. */
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

  /** Returns the domains of a project's providers, in alphabetical order. */
  list(projectId: string, providers: { id: string }[], tx?: Tx): Promise<ProviderDomain[]> {
    const ids = providers.map(({ id }) => id);
    return this.domains.list(projectId, ids, tx);
  }

  /**
   * Applies a change to a provider that the transaction has locked. New domains are unverified, and existing
   * domains retain their state. If the provider has become required, the worker ends the sessions that were
   * opened without it.
   * @param names the domains after the change
   */
  async applyChange(
    tx: Tx,
    before: Pick<IdentityProvider, 'enabled' | 'required'> | null,
    after: Pick<IdentityProvider, 'id' | 'projectId' | 'enabled' | 'required'>,
    names: string[],
  ): Promise<void> {
    const tokens = names.map(() => secureBytes(32).toString('base64url'));
    await this.domains.replace(tx, after, names, tokens);
    const isEffective = after.enabled && after.required;
    const wasEffective = before !== null && before.enabled && before.required;
    if (isEffective && !wasEffective) await this.domains.scheduleSessionCheck(tx, after.projectId, after.id);
  }

  /**
   * Looks up a domain's record, which verifies the domain.
   * @throws GatehouseError `not_found`, `project_archived`, `conflict` if the domain is verified for another
   *   provider in the project
   */
  async verify(
    { accessScope }: ManagementCaller,
    projectId: string,
    providerId: string,
    name: string,
  ): Promise<CheckedDomain> {
    const project = await this.projects.get(accessScope, projectId);
    if (project.archivedAt) throw new GatehouseError('project_archived');
    const domain = canonicalDomain(name);
    if (domain === null) throw notFound();
    const key = { projectId, providerId, domain };
    const { finding, reason } = await this.lookup.find(await this.domains.get(key));
    if (reason !== null) this.logger.warn({ ...key, finding, reason }, 'domain record lookup failed');
    return this.transactions.join(async (tx) => ({
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
