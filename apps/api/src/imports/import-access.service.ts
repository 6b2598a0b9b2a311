import { Injectable } from '@nestjs/common';
import { notSignedInError, type ManagementCaller } from '@gatehouse/auth';
import { GatehouseError, invalidField, type ProjectContext, type AccessScope } from '@gatehouse/domain';
import { ApiKeysRepository, OperatorSessionsRepository, ProjectsRepository } from '@gatehouse/persistence';

/** Finds an import's project, and checks during the import that the caller may still access it. */
@Injectable()
export class ImportAccessService {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly apiKeys: ApiKeysRepository,
    private readonly sessions: OperatorSessionsRepository,
  ) {}

  /**
   * @throws GatehouseError `not_found`, `project_archived`, `validation_failed` if an operator omits `projectId`
   */
  getProject(caller: ManagementCaller, projectId: string | undefined): Promise<ProjectContext> {
    const id = projectId ?? caller.project?.id;
    if (id === undefined) throw invalidField('projectId', 'required', 'projectId is required');
    return this.projects.getActive(caller.accessScope, id);
  }

  /**
   * Rejects a revoked key, an operator who has signed out or lost the required role or access to the project, and an
   * archived project, even if that happened after the request started (contract, section 3).
   */
  async assertStillAllowed(caller: ManagementCaller, projectId: string): Promise<void> {
    await this.projects.getActive(await this.getCurrentAccessScope(caller), projectId);
  }

  private async getCurrentAccessScope(caller: ManagementCaller): Promise<AccessScope> {
    if (caller.kind === 'operator') {
      const accessScope = await this.sessions.findAccessScope(caller.sessionId, caller.role);
      if (!accessScope) throw notSignedInError();
      return accessScope;
    }
    if (!(await this.apiKeys.isActive(caller.keyId)))
      throw new GatehouseError('invalid_api_key', { headers: { 'WWW-Authenticate': 'Bearer' } });
    return caller.accessScope;
  }
}
