// This file contains SQL: INSERT … SELECT of many rows, on the hot path.
import { matchingSubscriptions, publicId, type EventType } from '@gatehouse/domain';
import { newId, now, type DeliveryPointer } from '@gatehouse/platform';
import { nullable, statement, uuid } from '../statements.js';
import type { Tx } from '../transactions.js';

/** An event to be recorded, of a project or of an organization. */
export interface NewEvent {
  type: EventType;
  organizationId: string;
  /** Null for an event of no project, which only endpoints of organization level receive. */
  projectId: string | null;
  /** The customer that the event is about, for erasure. */
  customerId: string | null;
  /** API resources by name, exactly as a secret key's GET returns them. Never a token or a link. */
  data: Record<string, unknown>;
  /** The endpoint that the event is about, which must not receive it. */
  excludedEndpointId?: string;
  /** The only endpoint that receives the event, whether or not it is subscribed. */
  onlyEndpointId?: string;
}

/**
 * Inserts events, and one delivery of each event to each subscribed endpoint. The id of a delivery is a
 * UUIDv7 with the time of the event; PostgreSQL before 18 cannot generate one.
 */
const recordEvents = statement(
  { deliveryId: uuid, endpointId: uuid, projectId: nullable(uuid) },
  `WITH input AS (
     SELECT * FROM json_to_recordset($1::json) AS e (id uuid, organization_id uuid, project_id uuid,
       customer_id uuid, type text, body text, created_at timestamptz, subscriptions text[],
       excluded_endpoint_id uuid, only_endpoint_id uuid)
   ), recorded AS (
     INSERT INTO events (id, organization_id, project_id, customer_id, type, body, created_at)
     SELECT id, organization_id, project_id, customer_id, type, body, created_at FROM input
   )
   INSERT INTO deliveries (id, organization_id, project_id, event_id, event_type, endpoint_id, target_url, next_attempt_at)
   SELECT (left(e.id::text, 15) || substr(gen_random_uuid()::text, 16))::uuid,
     e.organization_id, e.project_id, e.id, e.type, w.id, w.url, now() + $2 * interval '1 ms'
   FROM input e JOIN webhook_endpoints w ON w.organization_id = e.organization_id AND w.status = 'enabled'
     AND CASE WHEN e.only_endpoint_id IS NULL
       THEN (w.level = 'organization' OR w.project_id = e.project_id) AND w.events && e.subscriptions
         AND w.id IS DISTINCT FROM e.excluded_endpoint_id
       ELSE w.id = e.only_endpoint_id END
   RETURNING id AS "deliveryId", endpoint_id AS "endpointId", project_id AS "projectId"`,
);

/** Writes events and their deliveries with the change that caused them: this is the outbox. */
export class EventsRepository {
  /** @param firstDelayMs delay before the first attempt */
  constructor(private readonly firstDelayMs: number) {}

  /**
   * Records the events and creates one delivery for each subscribed endpoint, in one statement.
   * @returns the deliveries
   */
  async record(tx: Tx, events: NewEvent[]): Promise<DeliveryPointer[]> {
    if (events.length === 0) return [];
    const rows = JSON.stringify(events.map(toEventRow));
    const deliveries = await tx.execute(recordEvents, [rows, this.firstDelayMs]);
    tx.newDeliveries.push(...deliveries);
    return deliveries;
  }
}

function toEventRow(event: NewEvent): Record<string, unknown> {
  const id = newId();
  const createdAt = now().toISOString();
  return {
    id,
    organization_id: event.organizationId,
    project_id: event.projectId,
    customer_id: event.customerId,
    type: event.type,
    created_at: createdAt,
    subscriptions: matchingSubscriptions(event.type),
    excluded_endpoint_id: event.excludedEndpointId,
    only_endpoint_id: event.onlyEndpointId,
    // The bytes stored here are the bytes that every attempt signs and sends (contract, section 5).
    body: JSON.stringify({
      id: publicId('event', id),
      type: event.type,
      created_at: createdAt,
      project_id: event.projectId,
      organization_id: event.organizationId,
      data: event.data,
    }),
  };
}
