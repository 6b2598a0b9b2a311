import type { AttemptError, DeliveryState } from '@gatehouse/domain';
import { visibleResponseBody } from '../customers/erasure-sql.js';

/** A finished attempt with the current state of its delivery. */
export interface AttemptRecord {
  id: string;
  projectId: string | null;
  eventId: string;
  eventType: string;
  endpointId: string;
  deliveryId: string;
  deliveryState: DeliveryState;
  nextAttemptAt: Date | null;
  targetUrl: string;
  attempt: number;
  httpStatus: number;
  success: boolean;
  error: AttemptError | null;
  durationMs: number;
  responseBody: string;
  startedAt: Date;
}

/** The columns of an attempt record, for an attempt `a` and its delivery `d`. */
export const attemptColumns = `
  a.id, a.project_id AS "projectId", a.event_id AS "eventId", a.event_type AS "eventType",
  a.endpoint_id AS "endpointId", a.delivery_id AS "deliveryId", d.state AS "deliveryState",
  d.next_attempt_at AS "nextAttemptAt", a.target_url AS "targetUrl", a.attempt, a.http_status AS "httpStatus",
  a.success, a.error, a.duration_ms AS "durationMs", ${visibleResponseBody('a')} AS "responseBody",
  a.started_at AS "startedAt"`;
