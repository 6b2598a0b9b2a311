// Raw SQL: a multi-row INSERT … SELECT on the hot path.
import { isAuditedAs } from '@gatehouse/domain';
import { nullable, statement, uuid } from '../sql/statements.js';

/** An `events` row, with the data that selects the receiving endpoints. */
export interface EventRow {
  id: string;
  organization_id: string;
  project_id: string | null;
  customer_id: string | null;
  type: string;
  body: string;
  created_at: string;
  subscriptions: string[];
  excluded_endpoint_id: string | undefined;
  only_endpoint_id: string | undefined;
  /** Delay before the first attempt, in ms. */
  delay_ms: number;
  traceparent: string | undefined;
}

/** An `audit_log` row. */
export interface AuditRow {
  id: string;
  organization_id: string | null;
  project_id: string | null;
  actor_type: string;
  actor_id: string | null;
  action: string;
  target_type: string;
  target_id: string;
  ip: string | null;
  user_agent: string | null;
  request_id: string | null;
  details: Record<string, unknown>;
  created_at: string;
}

/** A transaction's events and audit entries, which are written with its COMMIT. */
export class Outbox {
  readonly events: EventRow[] = [];
  readonly auditEntries: AuditRow[] = [];

  get isEmpty(): boolean {
    return this.events.length === 0 && this.auditEntries.length === 0;
  }

  /** Removes all rows. @returns the rows as values for `writeOutbox` */
  take(): unknown[] {
    return outboxValues([{ events: this.events.splice(0), auditEntries: this.auditEntries.splice(0) }]);
  }
}

/** Returns the rows from several outboxes as values for `writeOutbox`. */
export const outboxValues = (outboxes: Pick<Outbox, 'events' | 'auditEntries'>[]): unknown[] => [
  JSON.stringify(outboxes.flatMap(linkAuditEntries)),
  JSON.stringify(outboxes.flatMap(({ auditEntries }) => auditEntries)),
];

/** Returns a transaction's events with the ids of the audit entries that describe the same changes. */
const linkAuditEntries = ({ events, auditEntries }: Pick<Outbox, 'events' | 'auditEntries'>) =>
  events.map((event) => ({
    ...event,
    audit_entry_id: auditEntries.find(
      ({ target_id: targetId, action }) => targetId === event.customer_id && isAuditedAs(event.type, action),
    )?.id,
  }));

/**
 * Inserts events and audit entries, and one delivery for each event and subscribed endpoint. A delivery's id is a
 * UUIDv7 with the event's time; PostgreSQL before 18 cannot generate one.
 */
export const writeOutbox = statement(
  { deliveryId: uuid, endpointId: uuid, projectId: nullable(uuid), eventId: uuid },
  `WITH input AS (
     SELECT * FROM json_to_recordset($1::json) AS e (id uuid, organization_id uuid, project_id uuid,
       customer_id uuid, type text, body text, created_at timestamptz, subscriptions text[],
       excluded_endpoint_id uuid, only_endpoint_id uuid, delay_ms float8, traceparent text,
       audit_entry_id uuid)
   ), recorded AS (
     INSERT INTO events (id, organization_id, project_id, customer_id, type, body, created_at, traceparent, audit_entry_id)
     SELECT id, organization_id, project_id, customer_id, type, body, created_at, traceparent, audit_entry_id FROM input
   ), audited AS (
     INSERT INTO audit_log (id, organization_id, project_id, actor_type, actor_id, action, target_type, target_id,
       ip, user_agent, request_id, details, created_at)
     SELECT * FROM json_to_recordset($2::json) AS a (id uuid, organization_id uuid, project_id uuid, actor_type text,
       actor_id text, action text, target_type text, target_id text, ip text, user_agent text, request_id text,
       details jsonb, created_at timestamptz)
   )
   INSERT INTO deliveries (id, organization_id, project_id, event_id, event_type, endpoint_id, target_url, next_attempt_at)
   SELECT (left(e.id::text, 15) || substr(gen_random_uuid()::text, 16))::uuid,
     e.organization_id, e.project_id, e.id, e.type, w.id, w.url, now() + e.delay_ms * interval '1 ms'
   FROM input e CROSS JOIN LATERAL (
     SELECT w.id, w.url FROM webhook_endpoints w WHERE w.organization_id = e.organization_id AND w.status = 'enabled'
       AND CASE WHEN e.only_endpoint_id IS NULL
         THEN (w.level = 'organization' OR w.project_id = e.project_id) AND w.events && e.subscriptions
           AND w.id IS DISTINCT FROM e.excluded_endpoint_id
         ELSE w.id = e.only_endpoint_id END
     -- Prevents the planner from choosing a hash join, which would read all endpoints.
     OFFSET 0
   ) w
   RETURNING id AS "deliveryId", endpoint_id AS "endpointId", project_id AS "projectId", event_id AS "eventId"`,
);
