import type { AttemptError, DeliveryState, Reach } from '#domain';
import { Conditions } from '../conditions.js';
import { shownResponse } from '../customers/erased.js';
import type { Database } from '../database.js';

/** One closed attempt, with the delivery as it stands now. */
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

export interface AttemptFilter {
  projectId: string | null;
  endpointId: string | null;
  eventType: string | null;
  eventId: string | null;
  deliveryId: string | null;
  deliveryState: DeliveryState | null;
  success: boolean | null;
  httpStatus: number | null;
  /** First and last HTTP status of a class; [0, 0] for "nothing answered". */
  httpStatusRange: [number, number] | null;
  createdAfter: Date | null;
  createdBefore: Date | null;
  /** The last id of the page before. */
  before: string | null;
}

const columns = `
  a.id, a.project_id AS "projectId", a.event_id AS "eventId", a.event_type AS "eventType",
  a.endpoint_id AS "endpointId", a.delivery_id AS "deliveryId", d.state AS "deliveryState",
  d.next_attempt_at AS "nextAttemptAt", a.target_url AS "targetUrl", a.attempt, a.http_status AS "httpStatus",
  a.success, a.error, a.duration_ms AS "durationMs", ${shownResponse('a')} AS "responseBody",
  a.started_at AS "startedAt"`;

/** A project key sees what went to its project's own endpoints, not what an organization endpoint heard of it. */
const within = (reach: Reach): Conditions =>
  new Conditions()
    .reach('a', 'a.project_id', reach)
    .addIf(
      reach.projectId,
      (value) => `a.endpoint_id IN (SELECT id FROM webhook_endpoints WHERE project_id = ${value})`,
    );

export class AttemptsRepository {
  constructor(private readonly database: Database) {}

  /** Closed attempts within a reach, newest first. */
  async list(reach: Reach, filter: AttemptFilter, limit: number): Promise<AttemptRecord[]> {
    const where = within(reach)
      .addIf(filter.projectId, (value) => `a.project_id = ${value}`)
      .addIf(filter.endpointId, (value) => `a.endpoint_id = ${value}`)
      .addIf(filter.eventType, (value) => `a.event_type = ${value}`)
      .addIf(filter.eventId, (value) => `a.event_id = ${value}`)
      .addIf(filter.deliveryId, (value) => `a.delivery_id = ${value}`)
      .addIf(filter.deliveryState, (value) => `d.state = ${value}`)
      .addIf(filter.success, (value) => `a.success = ${value}`)
      .addIf(filter.httpStatus, (value) => `a.http_status = ${value}`)
      .addIf(filter.httpStatusRange?.[0], (value) => `a.http_status >= ${value}`)
      .addIf(filter.httpStatusRange?.[1], (value) => `a.http_status <= ${value}`)
      .addIf(filter.createdAfter, (value) => `a.started_at > ${value}`)
      .addIf(filter.createdBefore, (value) => `a.started_at < ${value}`)
      .addIf(filter.before, (value) => `a.id < ${value}`);
    return this.database.query<AttemptRecord>(
      `SELECT ${columns} FROM attempts a JOIN deliveries d ON d.id = a.delivery_id
       WHERE ${where.sql} ORDER BY a.id DESC LIMIT ${where.value(limit)}`,
      where.values,
    );
  }

  /** The attempts of a delivery whose reach has been checked, oldest first. */
  async ofDelivery(reach: Reach, deliveryId: string): Promise<AttemptRecord[]> {
    const where = within(reach);
    return this.database.query<AttemptRecord>(
      `SELECT ${columns} FROM attempts a JOIN deliveries d ON d.id = a.delivery_id
       WHERE ${where.sql} AND a.delivery_id = ${where.value(deliveryId)} ORDER BY a.id`,
      where.values,
    );
  }
}
