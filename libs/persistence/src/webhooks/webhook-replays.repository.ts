// Raw SQL: access scope conditions, joins, and claims with SKIP LOCKED.
import type { AttemptError, AttemptResult, AccessScope } from '@gatehouse/domain';
import type { Database } from '../database/database.js';
import type { Tx } from '../database/transactions.js';
import { isErased } from '../events/erasure-sql.js';
import { Conditions, sampleAccessScopes } from '../sql/conditions.js';
import {
  boolean,
  bytea,
  dynamicStatement,
  integer,
  nullable,
  smallint,
  statement,
  text,
  textOf,
  timestamptz,
  uuid,
  type RowOf,
} from '../sql/statements.js';
import { NIL_UUID } from '../sql/uuid-v7.js';
import { WebhookReplayEntity } from './webhook-replay.entity.js';

export type NewReplay = Pick<
  WebhookReplayEntity,
  | 'id'
  | 'organizationId'
  | 'projectId'
  | 'deliveryId'
  | 'eventId'
  | 'endpointId'
  | 'url'
  | 'secret'
  | 'createdBy'
>;

const replayRow = {
  id: uuid,
  deliveryId: uuid,
  eventId: uuid,
  eventType: text,
  endpointId: uuid,
  url: text,
  createdBy: text,
  createdAt: timestamptz,
  finishedAt: nullable(timestamptz),
  /** Null until there is an outcome. The same applies to the fields below. */
  httpStatus: nullable(smallint),
  success: nullable(boolean),
  error: nullable(textOf<AttemptError>()),
  durationMs: nullable(integer),
  responseBody: nullable(text),
};

/** A replay with its outcome. */
export type Replay = RowOf<typeof replayRow>;

export interface ReplayFilter {
  id?: string;
  deliveryId: string | null;
  endpointId: string | null;
}

const listReplays = dynamicStatement(
  replayRow,
  (accessScope: AccessScope, filter: ReplayFilter, before: string | null, limit: number) => {
    const where = new Conditions()
      .addAccessScope('r', 'r.project_id', accessScope)
      .addIf(filter.id, (value) => `r.id = ${value}`)
      .addIf(filter.deliveryId, (value) => `r.delivery_id = ${value}`)
      .addIf(filter.endpointId, (value) => `r.endpoint_id = ${value}`)
      .addIf(before, (value) => `r.id < ${value}`);
    const sql = `
      SELECT r.id, r.delivery_id AS "deliveryId", r.event_id AS "eventId", e.type AS "eventType",
        r.endpoint_id AS "endpointId", r.url, r.created_by AS "createdBy", r.created_at AS "createdAt",
        r.finished_at AS "finishedAt", r.http_status AS "httpStatus", r.success, r.error,
        r.duration_ms AS "durationMs", CASE WHEN ${isErased('e')} THEN '' ELSE r.response_body END AS "responseBody"
      FROM webhook_replays r JOIN events e ON e.id = r.event_id
      WHERE ${where.sql} ORDER BY r.id DESC LIMIT ${where.bind(limit)}`;
    return { text: sql, values: where.values };
  },
  sampleAccessScopes.flatMap((accessScope) =>
    [null, NIL_UUID].map(
      (id) => [accessScope, { id: id ?? undefined, deliveryId: id, endpointId: id }, id, 1] as const,
    ),
  ),
);

/** Maximum number of unfinished replays per project, and for an organization's own events. */
export const MAX_UNFINISHED_REPLAYS = 100;

const countUnfinishedReplays = statement(
  { count: integer },
  `SELECT count(*)::int AS count FROM (
     SELECT FROM webhook_replays
     WHERE finished_at IS NULL AND organization_id = $1 AND project_id IS NOT DISTINCT FROM $2::uuid
     LIMIT ${MAX_UNFINISHED_REPLAYS}
   ) unfinished`,
);

const isUnclaimed = 'r.finished_at IS NULL AND r.started_at IS NULL';
const isLost = 'r.finished_at IS NULL AND r.lease_until <= statement_timestamp()';

/** Condition that a replay `r` must be sent, or recorded as lost. */
export const isReplayWaiting = `(${isUnclaimed} OR ${isLost})`;

const claimedReplayRow = {
  id: uuid,
  eventId: uuid,
  targetUrl: text,
  /** Encrypted. Null if the replay was canceled because the event's customer has been deleted. */
  secret: nullable(bytea),
  body: text,
};

/** A replay that this worker has claimed. */
export type ClaimedReplay = RowOf<typeof claimedReplayRow> & { secret: Buffer };

/** Cancels replays whose customer has been deleted, instead of claiming them. */
const claimReplays = statement(
  claimedReplayRow,
  `WITH picked AS (
     SELECT r.id, ${isErased('e')} AS erased FROM webhook_replays r JOIN events e ON e.id = r.event_id
     WHERE ${isUnclaimed} ORDER BY r.id LIMIT $2 FOR UPDATE OF r SKIP LOCKED
   )
   UPDATE webhook_replays r SET started_at = clock_timestamp(),
     lease_until = CASE WHEN NOT erased THEN clock_timestamp() + $1 * interval '1 ms' END,
     finished_at = CASE WHEN erased THEN clock_timestamp() END, secret = CASE WHEN NOT erased THEN r.secret END
   FROM picked, events e WHERE r.id = picked.id AND e.id = r.event_id
   RETURNING r.id, r.event_id AS "eventId", r.url AS "targetUrl", r.secret, e.body`,
);

/**
 * Records only the first outcome, because a replay is recorded as lost if its lease expires. Locks the customer, so
 * that a concurrent deletion either erases the response or prevents it from being stored.
 */
const recordReplayOutcome = statement(
  {},
  `WITH customer AS (
     SELECT c.id FROM webhook_replays r JOIN events e ON e.id = r.event_id JOIN customers c ON c.id = e.customer_id
     WHERE r.id = $1 FOR KEY SHARE OF c
   )
   UPDATE webhook_replays r SET finished_at = clock_timestamp(), lease_until = NULL, secret = NULL,
     http_status = $2, success = $3, error = $4, duration_ms = $5,
     response_body = CASE WHEN e.customer_id IS NULL OR EXISTS (SELECT FROM customer) THEN $6 ELSE '' END
   FROM events e WHERE r.id = $1 AND r.finished_at IS NULL AND e.id = r.event_id`,
);

const recordLostReplays = statement(
  {},
  `UPDATE webhook_replays r SET finished_at = clock_timestamp(), lease_until = NULL, secret = NULL,
     http_status = 0, success = false, error = 'worker_lost', response_body = '',
     duration_ms = least(extract(epoch FROM clock_timestamp() - r.started_at) * 1000, 2147483647)::int
   WHERE ${isLost}`,
);

/**
 * Deliveries that operators send to another URL once. They do not affect the original delivery, attempts or metrics.
 */
export class WebhookReplaysRepository {
  /** Creates the repository. @param leaseMs time in ms after which a replay without an outcome counts as lost */
  constructor(
    private readonly database: Database,
    private readonly leaseMs: number,
  ) {}

  /** Creates a replay. Returns it, or null if it is outside the access scope. */
  async insert(tx: Tx, accessScope: AccessScope, replay: NewReplay): Promise<Replay | null> {
    await tx.manager.insert(WebhookReplayEntity, replay);
    const filter = { id: replay.id, deliveryId: null, endpointId: null };
    const [created] = await tx.execute(listReplays(accessScope, filter, null, 1));
    return created ?? null;
  }

  /**
   * Returns whether a project, or an organization for its own events, has reached the maximum number of unfinished
   * replays.
   */
  async hasReachedLimit(
    tx: Tx,
    { organizationId, projectId }: Pick<NewReplay, 'organizationId' | 'projectId'>,
  ) {
    const [row] = await tx.execute(countUnfinishedReplays, [organizationId, projectId]);
    return row!.count >= MAX_UNFINISHED_REPLAYS;
  }

  /**
   * Returns up to `limit` replays within an access scope, newest first.
   * @param before the previous page's last id
   */
  list(
    accessScope: AccessScope,
    filter: ReplayFilter,
    before: string | null,
    limit: number,
  ): Promise<Replay[]> {
    return this.database.execute(listReplays(accessScope, filter, before, limit));
  }

  /** Claims replays that have not started, so that no other worker sends them. */
  async claim(limit: number): Promise<ClaimedReplay[]> {
    const claimed = await this.database.execute(claimReplays, [this.leaseMs, limit]);
    return claimed.filter((replay): replay is ClaimedReplay => replay.secret !== null);
  }

  async recordOutcome(id: string, result: AttemptResult): Promise<void> {
    const { httpStatus, success, error, durationMs, responseBody } = result;
    await this.database.execute(recordReplayOutcome, [
      id,
      httpStatus,
      success,
      error,
      durationMs,
      responseBody,
    ]);
  }

  /** Records `worker_lost` for replays whose worker did not record an outcome before the lease expired. */
  async recordLost(): Promise<void> {
    await this.database.execute(recordLostReplays);
  }
}
