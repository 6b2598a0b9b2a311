// This file contains SQL: bounded scans by filter and reach.
import { notFound, type MailReason, type MailState, type Reach } from '@gatehouse/domain';
import type { MailKind } from '@gatehouse/platform';
import {
  capCount,
  capScanCount,
  countedRow,
  countedSql,
  COUNT_CAP,
  COUNT_SCAN_LIMIT,
  type CappedCount,
} from '../lists/capped-count.js';
import { Conditions, sampleReaches } from '../sql/conditions.js';
import type { Database } from '../database/database.js';
import { ownerRangeCondition } from '../lists/owner-range-condition.js';
import { boundedScanRow, boundedScanSql, scanPage, type ScannedPage } from '../lists/scanned-page.js';
import {
  dynamicStatement,
  integer,
  nullable,
  text,
  textOf,
  timestamptz,
  uuid,
  type RowOf,
} from '../sql/statements.js';
import { filterIdRange, MAX_CREATED_AT_SKEW_MS, NIL_UUID } from '../sql/uuid-v7.js';
import type { StoredMailState } from './mail.entity.js';
import { isRecentlyOverLimit } from './over-limit-sql.js';

/** Maximum number of emails that a page scans if few of them match. The next page continues from there. */
const PAGE_SCAN_LIMIT = 5_000;

const mailLogRow = {
  id: uuid,
  /** Null for an email to an operator. */
  projectId: nullable(uuid),
  /** Null for an email to an operator, to an address without a customer, or to a customer who has been deleted. */
  customerId: nullable(uuid),
  kind: textOf<MailKind>(),
  /** Empty once the customer has been deleted. */
  recipient: text,
  state: textOf<StoredMailState>(),
  reason: nullable(textOf<MailReason>()),
  response: nullable(text),
  attempts: integer,
  nextAttemptAt: timestamptz,
  createdAt: timestamptz,
  finishedAt: nullable(timestamptz),
};

/** An entry of the log of emails, without the content of the email. */
export type MailLogEntry = RowOf<typeof mailLogRow>;

/** The filter of the log. Null fields match every email. */
export interface MailLogFilter {
  projectId: string | null;
  customerId: string | null;
  /** Email address of the recipient, in canonical form. */
  email: string | null;
  kind: string | null;
  state: MailState | null;
  createdAfter: Date | null;
  createdBefore: Date | null;
}

const storedStates: Record<MailState, readonly StoredMailState[]> = {
  queued: ['pending'],
  sent: ['sent', 'kept'],
  failed: ['failed'],
  dropped: ['dropped'],
};

const mailLogColumns = `
  m.id, m.project_id AS "projectId", m.customer_id AS "customerId", m.kind, m.recipient, m.state, m.reason,
  m.response, m.tries AS attempts, m.next_try_at AS "nextAttemptAt", m.created_at AS "createdAt",
  m.finished_at AS "finishedAt"`;

const noFilter: MailLogFilter = {
  projectId: null,
  customerId: null,
  email: null,
  kind: null,
  state: null,
  createdAfter: null,
  createdBefore: null,
};
const sampleFilters: MailLogFilter[] = [
  noFilter,
  { ...noFilter, projectId: NIL_UUID, kind: 'test' },
  { ...noFilter, customerId: NIL_UUID, state: 'sent' },
  { ...noFilter, email: 'ada@example.com', createdAfter: new Date(0), createdBefore: new Date(0) },
];
const sampleCalls = sampleReaches.flatMap((reach) => sampleFilters.map((filter) => [reach, filter] as const));

/** Returns SQL for whether an email is within a reach. Only operators without a limit can read emails to operators. */
function isWithinSql(where: Conditions, reach: Reach): string {
  const condition = where.reachCondition('p', 'm.project_id', reach);
  if (reach.projectId || !reach.organizationIds) return condition;
  return `EXISTS (SELECT FROM projects p WHERE p.id = m.project_id AND ${condition})`;
}

const addReach = (where: Conditions, reach: Reach): Conditions => where.add(isWithinSql(where, reach));

const matchConditions = (reach: Reach, filter: MailLogFilter): Conditions =>
  addReach(new Conditions(), reach)
    .addIf(filter.projectId, (value) => `m.project_id = ${value}`)
    .addIf(filter.customerId, (value) => `m.customer_id = ${value}`)
    .addIf(filter.email, (value) => `m.recipient = ${value}`)
    .addIf(filter.kind, (value) => `m.kind = ${value}`)
    .addIf(filter.state && storedStates[filter.state], (value) => `m.state = ANY (${value})`)
    .addIf(filter.createdAfter, (value) => `m.created_at > ${value}`)
    .addIf(filter.createdBefore, (value) => `m.created_at < ${value}`);

/** An index range of emails with a value in a column, and the condition for scanning them. */
interface MailRange {
  column: string;
  value: string;
  condition: string;
}

/**
 * Returns the index range of the filter with the fewest emails. A scanned email is always within the reach: the
 * position of a page and whether there are more would otherwise expose others.
 */
function mailRange(where: Conditions, reach: Reach, filter: MailLogFilter): MailRange | null {
  const ownedRange = (column: string, id: string, table: string, projectColumn: string): MailRange => {
    const value = where.bind(id);
    if (!reach.organizationIds) return { column, value, condition: 'true' };
    const isWithin = where.reachCondition('owner', projectColumn, reach);
    return {
      ...{ column, value },
      condition: `EXISTS (SELECT FROM ${table} owner WHERE owner.id = ${value} AND ${isWithin})`,
    };
  };
  if (filter.customerId !== null)
    return ownedRange('customer_id', filter.customerId, 'customers', 'owner.project_id');
  if (filter.email !== null)
    return {
      column: 'recipient',
      value: where.bind(filter.email),
      condition: isWithinSql(where, reach),
    };
  const projectId = filter.projectId ?? reach.projectId;
  return projectId === null ? null : ownedRange('project_id', projectId, 'projects', 'owner.id');
}

/**
 * Returns SQL for the newest emails, newest first and at most `limit`: those of the customer, recipient or
 * project of the filter, or those within the reach.
 */
function mailScanSql(
  where: Conditions,
  reach: Reach,
  filter: MailLogFilter,
  before: string | null,
  limit: number,
): string {
  const ids = filterIdRange(filter, before, MAX_CREATED_AT_SKEW_MS);
  const idRange = { first: where.bind(ids.first), past: where.bind(ids.past) };
  const limitSql = where.bind(limit);
  const scanRange = ({ column, value, condition }: MailRange): string =>
    `SELECT m.* FROM mails m WHERE ${ownerRangeCondition('m', column, value, idRange)} AND ${condition}
     ORDER BY m.${column} DESC, m.id DESC LIMIT ${limitSql}`;
  const range = mailRange(where, reach, filter);
  if (range) return scanRange(range);
  if (!reach.organizationIds) {
    return `SELECT m.* FROM mails m WHERE m.id >= ${idRange.first} AND m.id < ${idRange.past}
      ORDER BY m.id DESC LIMIT ${limitSql}`;
  }
  const isWithinReach = where.reachCondition('p', 'p.id', reach);
  const ofProject = { column: 'project_id', value: 'p.id', condition: 'true' };
  return `SELECT m.* FROM projects p CROSS JOIN LATERAL (${scanRange(ofProject)}) m
    WHERE ${isWithinReach} ORDER BY m.id DESC LIMIT ${limitSql}`;
}

/**
 * Returns the matches among the next `window` emails, and the last scanned id if there are at least that
 * many.
 */
const scanMails = dynamicStatement(
  boundedScanRow(mailLogRow),
  (reach: Reach, filter: MailLogFilter, before: string | null, window: number, limit: number) => {
    const where = matchConditions(reach, filter);
    const limitSql = where.bind(limit + 1);
    const page = `SELECT ${mailLogColumns} FROM scanned m WHERE ${where.sql} ORDER BY m.id DESC LIMIT ${limitSql}`;
    const scan = mailScanSql(where, reach, filter, before, window);
    return { text: boundedScanSql(where, scan, page, window), values: where.values };
  },
  sampleCalls.map((call) => [...call, null, 1, 1] as const),
);

/** Returns the maximum number of emails that a count scans: fewer if every scanned one matches. */
const countWindow = ({ email, customerId, kind, state }: MailLogFilter): number =>
  kind === null && state === null && (email === null || customerId === null)
    ? COUNT_CAP + 1
    : COUNT_SCAN_LIMIT;

const countMails = dynamicStatement(
  countedRow,
  (reach: Reach, filter: MailLogFilter) => {
    const where = matchConditions(reach, filter);
    const isMatch = where.sql;
    const rows = `(${mailScanSql(where, reach, filter, null, countWindow(filter))}) m`;
    return { text: countedSql(rows, isMatch), values: where.values };
  },
  sampleCalls,
);

const findMail = dynamicStatement(
  mailLogRow,
  (reach: Reach, id: string) => {
    const where = addReach(new Conditions(), reach);
    const sql = `SELECT ${mailLogColumns} FROM mails m WHERE m.id = ${where.bind(id)} AND ${where.sql}`;
    return { text: sql, values: where.values };
  },
  sampleReaches.map((reach) => [reach, NIL_UUID] as const),
);

const countOverLimit = dynamicStatement(
  { count: integer },
  (reach: Reach) => {
    const where = addReach(new Conditions(), reach).add(isRecentlyOverLimit);
    const rows = `SELECT FROM mails m WHERE ${where.sql} LIMIT ${COUNT_CAP + 1}`;
    return { text: `SELECT count(*)::int AS count FROM (${rows}) counted`, values: where.values };
  },
  sampleReaches.map((reach) => [reach] as const),
);

/** The log of emails: those that were sent, and those that were not. Entries last 30 days. */
export class MailLogRepository {
  constructor(private readonly database: Database) {}

  /** Returns up to `limit` emails within a reach, newest first. @param before last id of the previous page */
  listPage(
    reach: Reach,
    filter: MailLogFilter,
    before: string | null,
    limit: number,
  ): Promise<ScannedPage<MailLogEntry>> {
    return scanPage([limit + 1, PAGE_SCAN_LIMIT], before, limit, (after, window) =>
      this.database.execute(scanMails(reach, filter, after, window, limit)),
    );
  }

  /** Counts the matching emails within a reach in a bounded scan. */
  async count(reach: Reach, filter: MailLogFilter): Promise<CappedCount> {
    const [counted] = await this.database.execute(countMails(reach, filter));
    return capScanCount(counted!, countWindow(filter));
  }

  /** Counts the emails within a reach that were dropped within the last hour because a project reached its limit. */
  async countOverLimit(reach: Reach): Promise<CappedCount> {
    const [row] = await this.database.execute(countOverLimit(reach));
    return capCount(row!.count);
  }

  /** Returns an email within a reach. @throws GatehouseError `not_found` */
  async get(reach: Reach, id: string): Promise<MailLogEntry> {
    const [mail] = await this.database.execute(findMail(reach, id));
    if (!mail) throw notFound();
    return mail;
  }
}
