import { Injectable } from '@nestjs/common';
import { callerName, type ManagementCaller } from '@gatehouse/auth';
import {
  GatehouseError,
  notFound,
  parsePathId,
  parsePublicId,
  parseValidUrl,
  type PrefixedIdKind,
  type TargetPolicy,
} from '@gatehouse/domain';
import {
  DeliveriesRepository,
  MAX_UNFINISHED_REPLAYS,
  Transactions,
  WebhookReplaysRepository,
  type Replay,
} from '@gatehouse/persistence';
import { Config, CursorCodec, Keyring, newId } from '@gatehouse/platform';
import { AuditService } from '../audit/audit.service.js';
import { readPage, type Page } from '../http/lists/paging.js';
import { deliveryAction } from './deliveries.service.js';
import type { ListReplaysQuery, ReplayRequest } from './dto/replay.request.js';
import { parseTargetUrl, webhookTargetPolicy } from './target-url.js';

/** Sends deliveries once to other URLs, without changing the delivery or its endpoint (ADR 0064). */
@Injectable()
export class ReplaysService {
  private readonly policy: TargetPolicy;

  constructor(
    private readonly replays: WebhookReplaysRepository,
    private readonly deliveries: DeliveriesRepository,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
    private readonly keyring: Keyring,
    private readonly cursors: CursorCodec,
    config: Config,
  ) {
    this.policy = webhookTargetPolicy(config);
  }

  /** @throws GatehouseError `validation_failed`, `not_found`, `payload_erased`, `conflict` */
  async create(
    caller: ManagementCaller,
    id: string,
    { secret, reason = null, ...request }: ReplayRequest,
  ): Promise<Replay> {
    const url = parseTargetUrl(request.url, this.policy);
    const { accessScope } = caller;
    const deliveryId = parsePathId('delivery', id);
    const replayId = newId();
    return this.transactions.join(async (tx) => {
      const delivery = await this.deliveries.lock(tx, accessScope, deliveryId);
      if (!delivery) throw notFound();
      const { organizationId, projectId, eventId, endpointId } = delivery;
      const action = deliveryAction('webhook_delivery.replayed', delivery);
      if (delivery.isErased) throw this.audit.noteRejection(action, new GatehouseError('payload_erased'));
      if (await this.replays.hasReachedLimit(tx, delivery))
        throw this.audit.noteRejection(action, tooManyReplaysError());
      const replay = await this.replays.insert(tx, accessScope, {
        ...{ id: replayId, organizationId, projectId, deliveryId, eventId, endpointId, url },
        secret: this.keyring.encrypt('webhook-secret', replayId, secret),
        createdBy: callerName(caller),
      });
      if (!replay) throw notFound();
      // The path and the query are omitted, because they can contain a secret.
      const details = { origin: parseValidUrl(url).origin, ...(reason !== null && { reason }) };
      this.audit.record(tx, { ...action, details });
      return replay;
    });
  }

  /** Returns replays, newest first. @throws GatehouseError `invalid_cursor` */
  list({ accessScope }: ManagementCaller, query: ListReplaysQuery): Promise<Page<Replay>> {
    const filter = {
      deliveryId: parseFilter('delivery', query.delivery_id),
      endpointId: parseFilter('endpoint', query.endpoint_id),
    };
    return readPage(this.cursors, ['replays', accessScope, filter], query, (before, limit) =>
      this.replays.list(accessScope, filter, before, limit),
    );
  }
}

const parseFilter = (kind: PrefixedIdKind, id: string | undefined): string | null =>
  id === undefined ? null : parsePublicId(kind, id);

const tooManyReplaysError = (): GatehouseError =>
  new GatehouseError('conflict', {
    detail: `A project can have at most ${MAX_UNFINISHED_REPLAYS} unfinished replays. Retry when some have finished.`,
  });
