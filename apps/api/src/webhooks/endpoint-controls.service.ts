import { Injectable } from '@nestjs/common';
import type { ManagementCaller } from '@gatehouse/auth';
import { GatehouseError, publicId, type WebhookEndpoint } from '@gatehouse/domain';
import {
  endpointDisabledEvent,
  endpointTestEvent,
  EventsRepository,
  Transactions,
  WebhookEndpointsRepository,
} from '@gatehouse/persistence';
import { formatWebhookSecret, Keyring, secureBytes } from '@gatehouse/platform';
import { AuditService } from '../audit/audit.service.js';
import { DeliveriesService, type DeliveryWithAttempts } from './deliveries.service.js';
import { endpointAction } from './endpoint-action.js';
import { EndpointEnablerService } from './endpoint-enabler.service.js';

/** How long the previous secret also signs after a rotation, in ms (contract, section 5). */
const OVERLAP_MS = 24 * 3_600_000;

/** Enables, disables and tests endpoints, and rotates their secrets. */
@Injectable()
export class EndpointControlsService {
  constructor(
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly enabler: EndpointEnablerService,
    private readonly deliveries: DeliveriesService,
    private readonly events: EventsRepository,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
    private readonly keyring: Keyring,
  ) {}

  /** Enables an endpoint. Does nothing if it is already enabled. @throws GatehouseError `not_found` */
  enable({ accessScope }: ManagementCaller, id: string): Promise<WebhookEndpoint> {
    return this.transactions.join((tx) => this.enabler.enable(tx, accessScope, id));
  }

  /**
   * Disables an endpoint. Does nothing if it is already disabled; the reason does not change.
   * @throws GatehouseError `not_found`
   */
  disable({ accessScope }: ManagementCaller, id: string): Promise<WebhookEndpoint> {
    return this.transactions.join(async (tx) => {
      const endpoint = await this.endpoints.lock(tx, accessScope, id);
      if (endpoint.status === 'disabled') return endpoint;
      const disabled = await this.endpoints.disable(tx, endpoint, 'manual');
      this.events.record(tx, [endpointDisabledEvent(disabled)]);
      this.audit.record(tx, {
        ...endpointAction('webhook_endpoint.disabled', endpoint),
        details: { reason: 'manual' },
      });
      return disabled;
    });
  }

  /** @throws GatehouseError `not_found` */
  async rotateSecret(
    { accessScope }: ManagementCaller,
    id: string,
  ): Promise<{ endpoint: WebhookEndpoint; secret: string }> {
    const secret = formatWebhookSecret(secureBytes(32));
    const sealed = this.keyring.encrypt('webhook-secret', id, secret);
    const endpoint = await this.transactions.join(async (tx) => {
      const rotated = await this.endpoints.rotateSecret(tx, accessScope, id, sealed, OVERLAP_MS);
      this.audit.record(tx, endpointAction('webhook_endpoint.secret_rotated', rotated));
      return rotated;
    });
    return { endpoint, secret };
  }

  /**
   * Sends a `webhook.test` event to this endpoint only.
   * @throws GatehouseError `not_found`, `endpoint_disabled`
   */
  async sendTestEvent(caller: ManagementCaller, id: string): Promise<DeliveryWithAttempts> {
    const delivery = await this.transactions.join(async (tx) => {
      const endpoint = await this.endpoints.lock(tx, caller.accessScope, id);
      if (endpoint.status === 'disabled') throw new GatehouseError('endpoint_disabled');
      this.audit.record(tx, endpointAction('webhook_endpoint.tested', endpoint));
      this.events.record(tx, [endpointTestEvent(endpoint)]);
      await tx.writeOutbox();
      return tx.newDeliveries[0]!;
    });
    return this.deliveries.get(caller, publicId('delivery', delivery.deliveryId));
  }
}
