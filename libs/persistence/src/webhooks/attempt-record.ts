import type { AttemptError, DeliveryState } from '@gatehouse/domain';
import { visibleResponseBody } from '../events/erasure-sql.js';
import {
  boolean,
  integer,
  nullable,
  smallint,
  text,
  textOf,
  timestamptz,
  uuid,
  type RowOf,
} from '../sql/statements.js';
import { endpointNameByIdSql } from './endpoint-name-sql.js';

/** Row map for `attemptColumns`. */
export const attemptRow = {
  id: uuid,
  projectId: nullable(uuid),
  eventId: uuid,
  eventType: text,
  endpointId: uuid,
  endpointName: text,
  deliveryId: uuid,
  deliveryState: textOf<DeliveryState>(),
  nextAttemptAt: nullable(timestamptz),
  targetUrl: text,
  attempt: smallint,
  httpStatus: smallint,
  success: boolean,
  error: nullable(textOf<AttemptError>()),
  durationMs: integer,
  responseBody: text,
  startedAt: timestamptz,
};

/** A finished attempt with its delivery's current state. */
export type AttemptRecord = RowOf<typeof attemptRow>;

/** Attempt record columns, from attempt `a` and its delivery `d`. */
export const attemptColumns = `
  a.id, a.project_id AS "projectId", a.event_id AS "eventId", a.event_type AS "eventType",
  a.endpoint_id AS "endpointId", ${endpointNameByIdSql('a.endpoint_id')} AS "endpointName",
  a.delivery_id AS "deliveryId", d.state AS "deliveryState",
  d.next_attempt_at AS "nextAttemptAt", a.target_url AS "targetUrl", a.attempt, a.http_status AS "httpStatus",
  a.success, a.error, a.duration_ms AS "durationMs", ${visibleResponseBody('a')} AS "responseBody",
  a.started_at AS "startedAt"`;
