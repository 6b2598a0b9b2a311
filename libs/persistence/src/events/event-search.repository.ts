// Raw SQL: bounded scans that are limited by filters and access scope.
import { ALL_CUSTOM_EVENTS, type AccessScope } from '@gatehouse/domain';
import type { Database } from '../database/database.js';
import { rangeWithin, searchStatements, TableSearchRepository } from '../lists/table-search.repository.js';
import { Conditions } from '../sql/conditions.js';
import { text, uuid } from '../sql/statements.js';
import { MAX_CREATED_AT_SKEW_MS, NIL_UUID } from '../sql/uuid-v7.js';
import { visibleBody } from './erasure-sql.js';
import { eventTypeCondition } from './event-type-condition.js';

export interface EventFilter {
  projectId: string | null;
  /** Null for all types. `app.*` matches all custom types. */
  types: string[] | null;
  createdAfter: Date | null;
  createdBefore: Date | null;
  eventId: string | null;
  /** Matches any of these ids. */
  customerIds: string[] | null;
}

const noFilter: EventFilter = {
  projectId: null,
  types: null,
  createdAfter: null,
  createdBefore: null,
  eventId: null,
  customerIds: null,
};

const sampleFilters: EventFilter[] = [
  noFilter,
  { ...noFilter, projectId: NIL_UUID, types: ['customer.created'] },
  { ...noFilter, types: [ALL_CUSTOM_EVENTS] },
  { ...noFilter, customerIds: [NIL_UUID], createdAfter: new Date(0), createdBefore: new Date(0) },
  { ...noFilter, eventId: NIL_UUID },
];

/** Returns the conditions that scanned events must match. */
function matchConditions(accessScope: AccessScope, filter: EventFilter): Conditions {
  const where = new Conditions()
    .addAccessScope('e', 'e.project_id', accessScope)
    .addIf(filter.eventId, (value) => `e.id = ${value}`)
    .addIf(filter.projectId, (value) => `e.project_id = ${value}`)
    .addIf(filter.customerIds, (value) => `e.customer_id = ANY (${value}::uuid[])`)
    .addIf(filter.createdAfter, (value) => `e.created_at > ${value}`)
    .addIf(filter.createdBefore, (value) => `e.created_at < ${value}`);
  return filter.types ? where.add(eventTypeCondition(where, 'e.type', filter.types)) : where;
}

const row = { id: uuid, body: text };

const search = searchStatements({
  name: 'events',
  alias: 'e',
  columns: 'e.id, e.organization_id, e.project_id, e.customer_id, e.type, e.created_at',
  row,
  slack: MAX_CREATED_AT_SKEW_MS,
  sampleFilters,
  matchConditions,
  // The caller has checked that the customers are within the access scope.
  chooseRange(where, accessScope, { eventId, customerIds, projectId }) {
    if (eventId) return { condition: `e.id = ${where.bind(eventId)}` };
    if (!customerIds) return rangeWithin(where, accessScope, projectId);
    const owners = `unnest(${where.bind(customerIds)}::uuid[]) c (id)`;
    return { column: 'customer_id', value: 'c.id', owners };
  },
  pageSql: (matches) =>
    `SELECT e.id, ${visibleBody('e')} AS body FROM (SELECT e.id FROM ${matches}) matching JOIN events e ON e.id = matching.id`,
  scansOnlyMatches: (_accessScope, { types }) => types === null,
});

/**
 * The event list for operators: newest first, by id, with a bounded scan per page. Unlike in the feed, an event from
 * a long transaction can appear before a cursor that was already returned.
 */
export class EventSearchRepository extends TableSearchRepository<EventFilter, typeof row> {
  constructor(database: Database) {
    super(database, search);
  }
}
