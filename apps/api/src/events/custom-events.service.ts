import { Injectable } from '@nestjs/common';
import type { SecretKeyCaller } from '@gatehouse/auth';
import type { ProjectContext } from '@gatehouse/domain';
import { EventsRepository, ProjectsRepository, Transactions } from '@gatehouse/persistence';
import { newId, now } from '@gatehouse/platform';
import type { CustomEvent } from './custom-events.js';
import { EventResponse } from './dto/event.response.js';

/** Records the events that servers send. They have no entries in the audit log (ADR 0040). */
@Injectable()
export class CustomEventsService {
  constructor(
    private readonly events: EventsRepository,
    private readonly projects: ProjectsRepository,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Records all events, or none.
   * @returns the events in request order
   * @throws GatehouseError `not_found`, `project_archived`
   */
  async create(caller: SecretKeyCaller, customEvents: CustomEvent[]): Promise<EventResponse[]> {
    const projects = await this.findProjects(caller, customEvents);
    const events = customEvents.map(({ projectId, ...event }) => {
      const { id: ownerId, organizationId } = projects.get(projectId)!;
      return {
        ...event,
        id: newId(),
        createdAt: now(),
        organizationId,
        projectId: ownerId,
        customerId: null,
      };
    });
    await this.transactions.join((tx) => this.events.record(tx, events));
    return events.map((event) => EventResponse.fromCustomEvent(event));
  }

  /** Returns the projects of the events by `projectId`. The key's own project is already loaded. */
  private async findProjects(
    { accessScope, project }: SecretKeyCaller,
    customEvents: CustomEvent[],
  ): Promise<Map<string | null, Pick<ProjectContext, 'id' | 'organizationId'>>> {
    const projects = new Map<string | null, Pick<ProjectContext, 'id' | 'organizationId'>>([
      [null, project],
      [project.id, project],
    ]);
    for (const { projectId } of customEvents) {
      if (projectId === null || projects.has(projectId)) continue;
      projects.set(projectId, await this.projects.getActive(accessScope, projectId));
    }
    return projects;
  }
}
