import { Injectable } from '@nestjs/common';
import type { ManagementCaller } from '@gatehouse/auth';
import type { ConnectionCheck } from '@gatehouse/domain';
import { IdentityProvidersRepository, ProjectsRepository, Transactions } from '@gatehouse/persistence';
import { AuditService } from '../audit/audit.service.js';
import { ProjectProvidersService } from './project-providers.service.js';

/** Tests whether sign-ins with an identity provider can succeed, and reports what must be changed. */
@Injectable()
export class ConnectionTestsService {
  constructor(
    private readonly providers: IdentityProvidersRepository,
    private readonly projects: ProjectsRepository,
    private readonly projectProviders: ProjectProvidersService,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Tests a provider by sending requests to it, even if it is disabled. @throws GatehouseError `not_found`,
   * `project_archived`
   */
  async test({ accessScope }: ManagementCaller, projectId: string, id: string): Promise<ConnectionCheck[]> {
    const { organizationId } = await this.projects.getActive(accessScope, projectId);
    const checks = await this.projectProviders.test(await this.providers.get(projectId, id));
    const details = { failed: checks.filter(({ ok }) => !ok).map(({ name }) => name) };
    const action = { action: 'identity_provider.tested', organizationId, projectId, targetId: id } as const;
    await this.transactions.join((tx) => Promise.resolve(this.audit.record(tx, { ...action, details })));
    return checks;
  }
}
