// Raw SQL: a union over several tables, and bounded scans with filters.
import {
  timelineActions,
  timelineEventTypes,
  timelineKinds,
  type AttemptError,
  type AuditActorType,
  type DeliveryResolution,
  type DeliveryState,
  type MailReason,
  type AccessScope,
  type TimelineKind,
} from '@gatehouse/domain';
import type { Database } from '../database/database.js';
import { visibleBody } from '../events/erasure-sql.js';
import { ownerRangeCondition } from '../lists/owner-range-condition.js';
import { boundedScanRow, boundedScanSql, scanPage, type ScannedPage } from '../lists/scanned-page.js';
import type { StoredMailState } from '../mails/mail.entity.js';
import { Conditions, sampleAccessScopes } from '../sql/conditions.js';
import {
  boolean,
  dynamicStatement,
  jsonb,
  nullable,
  smallint,
  text,
  textOf,
  uuid,
  type RowOf,
} from '../sql/statements.js';
import { filterIdRange, fixedIdAtSql, NIL_UUID } from '../sql/uuid-v7.js';
import { deliveriesWithin } from '../webhooks/deliveries.repository.js';
import { endpointNameSql } from '../webhooks/endpoint-name-sql.js';

/** Maximum number of records scanned for one page. If few of them match, the next page continues from there. */
const PAGE_SCAN_LIMIT = 1_000;

/**
 * Size of the second scan as a multiple of the page size. Many scanned records are not listed, because another
 * entry describes the same change.
 */
const SECOND_SCAN_FACTOR = 5;

/** Maximum number of deliveries per event. Only the newest to each endpoint is listed. */
const MAX_DELIVERIES = 10;

/**
 * The table that an entry comes from. `customer` stands for the row of an imported customer, whose creation is
 * recorded in no other table.
 */
export const timelineSources = ['event', 'audit_entry', 'mail', 'customer'] as const;
type TimelineSource = (typeof timelineSources)[number];

const entryRow = {
  /** A UUIDv7 that contains the entry's time. For `customer`, it is derived from the creation time. */
  id: uuid,
  source: textOf<TimelineSource>(),
  /** Event type, audit action or email kind. */
  type: text,
  /** False for an event that is described by another entry and is listed only because it has deliveries. */
  isChange: boolean,
  body: nullable(text),
  actorType: nullable(textOf<AuditActorType>()),
  actorId: nullable(text),
  details: nullable(jsonb<Record<string, unknown>>()),
  ip: nullable(text),
  userAgent: nullable(text),
  mailState: nullable(textOf<StoredMailState>()),
  mailReason: nullable(textOf<MailReason>()),
  mailResponse: nullable(text),
};

const deliveryRow = {
  eventId: uuid,
  id: uuid,
  endpointId: uuid,
  endpointName: text,
  targetUrl: text,
  state: textOf<DeliveryState>(),
  resolution: nullable(textOf<DeliveryResolution>()),
  attempts: smallint,
  httpStatus: nullable(smallint),
  error: nullable(textOf<AttemptError>()),
};

/** A customer timeline entry, as stored. */
export type TimelineRow = RowOf<typeof entryRow>;

/** The newest delivery of an event to an endpoint. */
export type TimelineDelivery = RowOf<typeof deliveryRow>;

export interface TimelineFilter {
  customerId: string;
  kinds: readonly TimelineKind[];
  createdAfter: Date | null;
  createdBefore: Date | null;
}

const sampleFilter = { customerId: NIL_UUID, createdAfter: null, createdBefore: null };
const sampleFilters: TimelineFilter[] = [
  { ...sampleFilter, kinds: timelineKinds },
  ...timelineKinds.map((kind) => ({ ...sampleFilter, kinds: [kind] })),
];

/**
 * Returns the matches among the next `window` records of all tables. Also returns the last scanned id if the scan
 * read `window` records. All tables have UUIDv7 ids, which sort by time, so an id is a position in the union.
 */
const scanEntries = dynamicStatement(
  boundedScanRow(entryRow),
  (filter: TimelineFilter, before: string | null, window: number, limit: number) => {
    const where = new Conditions();
    const scan = timelineScanSql(where, filter, before, window);
    // With EXISTS instead of LATERAL and LIMIT, PostgreSQL may hash all deliveries.
    const sent = `LATERAL (SELECT d.id FROM deliveries d WHERE d.event_id = s.id LIMIT 1) d ON NOT s."isChange"`;
    const matching = `
      SELECT s.* FROM (SELECT * FROM scanned ORDER BY id DESC) s ${filter.kinds.includes('webhook') ? `LEFT JOIN ${sent} WHERE s."isChange" OR d.id IS NOT NULL` : 'WHERE s."isChange"'}
      ORDER BY s.id DESC LIMIT ${where.bind(limit + 1)}`;
    const page = `
      SELECT s.id, s.source, s.type, s."isChange",
        CASE WHEN e.id IS NOT NULL THEN ${visibleBody('e')} END AS body,
        a.actor_type AS "actorType", a.actor_id AS "actorId", a.details, a.ip, a.user_agent AS "userAgent",
        m.state AS "mailState", m.reason AS "mailReason", m.response AS "mailResponse"
      FROM (${matching}) s
        LEFT JOIN events e ON s.source = 'event' AND e.id = s.id
        LEFT JOIN audit_log a ON s.source = 'audit_entry' AND a.id = s.id
        LEFT JOIN mails m ON s.source = 'mail' AND m.id = s.id`;
    return { text: boundedScanSql(where, scan, page, window), values: where.values };
  },
  sampleFilters.map((filter) => [filter, null, 1, 1] as const),
);

const listDeliveries = dynamicStatement(
  deliveryRow,
  (accessScope: AccessScope, eventIds: string[]) => {
    const where = deliveriesWithin(accessScope).add('d.event_id = event.id AND d.redelivered_as IS NULL');
    const sql = `
      SELECT d.* FROM unnest(${where.bind(eventIds)}::uuid[]) event (id) CROSS JOIN LATERAL (
        SELECT d.event_id AS "eventId", d.id, d.endpoint_id AS "endpointId", ${endpointNameSql()} AS "endpointName",
          d.target_url AS "targetUrl", d.state, d.resolution, d.attempt AS attempts, d.last_http_status AS "httpStatus", d.last_error AS error
        FROM deliveries d JOIN webhook_endpoints w ON w.id = d.endpoint_id
        WHERE ${where.sql} ORDER BY d.id DESC LIMIT ${MAX_DELIVERIES}
      ) d`;
    return { text: sql, values: where.values };
  },
  sampleAccessScopes.map((accessScope) => [accessScope, [NIL_UUID]] as const),
);

/** Reads a customer's history: events, audit log entries and emails as one list (docs/adr/0068). */
export class CustomerTimelineRepository {
  constructor(private readonly database: Database) {}

  /**
   * Returns up to `limit` entries, newest first. The caller has checked that the customer is within the access scope.
   * @param before last id on the previous page
   */
  listPage(filter: TimelineFilter, before: string | null, limit: number): Promise<ScannedPage<TimelineRow>> {
    const scanSizes = [limit + 1, SECOND_SCAN_FACTOR * limit, PAGE_SCAN_LIMIT];
    return scanPage(scanSizes, before, limit, (after, window) =>
      this.database.execute(scanEntries(filter, after, window, limit)),
    );
  }

  /** Returns the newest delivery of each event to each endpoint, at most ten per event. */
  async listDeliveries(accessScope: AccessScope, eventIds: string[]): Promise<TimelineDelivery[]> {
    if (eventIds.length === 0) return [];
    return this.database.execute(listDeliveries(accessScope, eventIds));
  }
}

/**
 * Returns SQL for at most `limit` records about a customer, newest first, from the tables that can contain these
 * kinds. Reads one index range per table.
 */
function timelineScanSql(
  where: Conditions,
  filter: TimelineFilter,
  before: string | null,
  limit: number,
): string {
  const { customerId, kinds } = filter;
  const [eventTypes, actions] = [timelineEventTypes(kinds), timelineActions(kinds)];
  const ids = filterIdRange(filter, before, 0);
  const range = { first: where.bind(ids.first), past: where.bind(ids.past) };
  const limitSql = where.bind(limit);
  const importedCustomer = (): string => `customers c WHERE c.id = ${where.bind(customerId)} AND c.imported`;
  const scanTable = (table: string, ownerColumn: string, columns: string): string => `
    (SELECT r.id, ${columns} FROM ${table} r
     WHERE ${ownerRangeCondition('r', ownerColumn, where.bind(customerId), range)}
     ORDER BY r.${ownerColumn} DESC, r.id DESC LIMIT ${limitSql})`;
  const isChange =
    (): string => `r.audit_entry_id IS NULL AND r.type = ANY (${where.bind(eventTypes)}::text[])
    AND NOT (r.type = 'customer.created' AND EXISTS (SELECT FROM ${importedCustomer()}))`;
  const scans = [
    (eventTypes.length > 0 || kinds.includes('webhook')) &&
      scanTable('events', 'customer_id', `'event', r.type, ${isChange()}`),
    actions.length > 0 &&
      scanTable(
        'audit_log',
        'target_id',
        `'audit_entry', r.action, r.action = ANY (${where.bind(actions)}::text[])`,
      ),
    kinds.includes('mail') && scanTable('mails', 'customer_id', `'mail', r.kind, true`),
    kinds.includes('account') &&
      `(SELECT r.* FROM (SELECT ${fixedIdAtSql('c.created_at')} AS id, 'customer', 'customer.imported', true
        FROM ${importedCustomer()} AND NOT EXISTS (SELECT FROM audit_log a
          WHERE a.target_id = c.id::text AND a.action = 'customer.created')) r WHERE r.id >= ${range.first} AND r.id < ${range.past})`,
  ].filter((scan) => scan !== false);
  return `
    SELECT r.* FROM (${scans.join(' UNION ALL ')}) r (id, source, type, "isChange")
    ORDER BY r.id DESC LIMIT ${limitSql}`;
}
