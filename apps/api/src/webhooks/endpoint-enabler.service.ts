import { Injectable } from '@nestjs/common';
import type { ManagementCaller } from '@gatehouse/auth';
import { insufficientScope, type AccessScope, type WebhookEndpoint } from '@gatehouse/domain';
import { WebhookEndpointsRepository, type Tx } from '@gatehouse/persistence';
import { AuditService } from '../audit/audit.service.js';
import { endpointAction } from './endpoint-action.js';

/** Enables endpoints, separately or as part of a redelivery. */
@Injectable()
export class EndpointEnablerService {
  constructor(
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly audit: AuditService,
  ) {}

  /** Enables an endpoint. Does nothing if it is already enabled. @throws GatehouseError `not_found` */
  async enable(tx: Tx, accessScope: AccessScope, id: string): Promise<WebhookEndpoint> {
    const endpoint = await this.endpoints.lock(tx, accessScope, id);
    if (endpoint.status === 'enabled') return endpoint;
    return (await this.enableAll(tx, [id]))[0]!;
  }

  /** Enables the disabled endpoints among these, and returns them. The caller must have checked the access scope. */
  async enableAll(tx: Tx, ids: string[]): Promise<WebhookEndpoint[]> {
    const enabled = await this.endpoints.enable(tx, ids);
    for (const endpoint of enabled)
      this.audit.record(tx, endpointAction('webhook_endpoint.enabled', endpoint));
    return enabled;
  }
}

/**
 * Checks that the caller of a redelivery may enable endpoints. A key requires the same scope as for the route that
 * enables an endpoint.
 * @throws GatehouseError `insufficient_scope`
 */
export function assertMayEnable(caller: ManagementCaller): void {
  if (caller.kind === 'secret-key' && !caller.scopes.includes('webhook:write'))
    throw insufficientScope(['webhook:write']);
}
