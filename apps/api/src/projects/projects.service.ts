import { Injectable } from '@nestjs/common';
import type { SecretKeyCaller } from '#auth';
import { changedFields, GatehouseError, patchSettings, settingsFaults, type Project } from '#domain';
import { EventsRepository, ProjectsRepository, Transactions } from '#persistence';
import { Config } from '#platform';
import type { UpdateProjectRequest } from './dto/project.request.js';
import { ProjectResponse } from './dto/project.response.js';

/** Projects and their settings. */
@Injectable()
export class ProjectsService {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly events: EventsRepository,
    private readonly transactions: Transactions,
    private readonly config: Config,
  ) {}

  /** @throws GatehouseError `not_found` */
  get({ reach }: SecretKeyCaller, id: string): Promise<Project> {
    return this.projects.get(reach, id);
  }

  /**
   * Merges a patch. What changes nothing leaves no event and no other `updatedAt`. Settings are read with every
   * request, so they act at once.
   * @throws GatehouseError `not_found`, `validation_failed`
   */
  update({ reach }: SecretKeyCaller, id: string, input: UpdateProjectRequest): Promise<Project> {
    return this.transactions.run(async (tx) => {
      // Locked, so that of two patches at the same time neither loses what the other one sets.
      const before = await this.projects.lock(tx, reach, id);
      const patch = input.settings ?? {};
      const settings = patchSettings(before.settings, patch);
      const errors = settingsFaults(patch, settings, this.config);
      if (errors.length > 0) throw new GatehouseError('validation_failed', { errors });
      const after = { name: input.name ?? before.name, settings };
      const previous = changedFields({ name: before.name, settings: before.settings }, after);
      if (Object.keys(previous).length === 0) return before;
      const project = await this.projects.update(tx, { id, ...after });
      await this.events.record(tx, [
        {
          type: 'project.updated',
          organizationId: project.organizationId,
          projectId: project.id,
          customerId: null,
          data: { project: ProjectResponse.from(project), previous },
        },
      ]);
      return project;
    });
  }
}
