import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { GatehouseError, isOriginAllowed, type ProjectSettings } from '@gatehouse/domain';
import { ProjectsRepository } from '@gatehouse/persistence';
import { Config } from '@gatehouse/platform';
import { assertFromConsole, isConsolePath } from './console-request.js';
import type { GatehouseRequest } from './request-context.js';

/** Maximum length of an origin in an error detail, in characters. */
const MAX_ORIGIN = 200;

/**
 * Rejects requests from web pages, unless the project allows the origin or the page belongs to the console.
 * Routes without a credential check the origin in their service.
 */
@Injectable()
export class OriginGuard implements CanActivate {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly config: Config,
  ) {}

  /** @throws GatehouseError `origin_not_allowed`, `cross_site_request` */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<GatehouseRequest>();
    if (isConsolePath(request.path)) assertFromConsole(request, this.config.publicUrl);
    const { headers, caller } = request;
    if (!headers.origin || !caller || caller.kind === 'secret-key' || caller.kind === 'operator') return true;
    const settings =
      caller.kind === 'access-token'
        ? (await this.projects.getContext(caller.customer.projectId)).settings
        : caller.project.settings;
    assertOriginAllowed(headers.origin, settings);
    return true;
  }
}

/**
 * Rejects an origin that the project's `allowedOrigins` do not allow.
 * @throws GatehouseError `origin_not_allowed`
 */
export function assertOriginAllowed(origin: string | undefined, settings: ProjectSettings): void {
  if (!origin || isOriginAllowed(settings, origin)) return;
  throw new GatehouseError('origin_not_allowed', {
    detail: `The origin ${origin.slice(0, MAX_ORIGIN)} is not in the allowedOrigins of the project. Add it to the project settings.`,
  });
}
