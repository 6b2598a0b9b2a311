// Raw SQL: bounded scans that are limited by filters and access scope.
import { notFound, type MailReason, type MailState, type AccessScope } from '@gatehouse/domain';
import type { MailKind } from '@gatehouse/platform';
import type { Database } from '../database/database.js';
import { capCount, COUNT_CAP, type CappedCount } from '../lists/capped-count.js';
import {
  ownerRange,
  rangeWithin,
  searchStatements,
  TableSearchRepository,
} from '../lists/table-search.repository.js';
import { Conditions, sampleAccessScopes } from '../sql/conditions.js';
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
import { MAX_CREATED_AT_SKEW_MS, NIL_UUID } from '../sql/uuid-v7.js';
import type { StoredMailState } from './mail.entity.js';
import { isRecentlyOverLimit } from './over-limit-sql.js';

const mailLogRow = {
  id: uuid,
  /** Null for an email to an operator. */
  projectId: nullable(uuid),
  /** Null for an email to an operator, to an address without a customer, or to a deleted customer. */
  customerId: nullable(uuid),
  kind: textOf<MailKind>(),
  /** Empty once the customer is deleted. */
  recipient: text,
  state: textOf<StoredMailState>(),
  reason: nullable(textOf<MailReason>()),
  response: nullable(text),
  attempts: integer,
  nextAttemptAt: timestamptz,
  createdAt: timestamptz,
  finishedAt: nullable(timestamptz),
};

/** An email log entry, without the email's content. */
export type MailLogEntry = RowOf<typeof mailLogRow>;

/** An email log filter. Null fields match every email. */
export interface MailLogFilter {
  projectId: string | null;
  customerId: string | null;
  /** The recipient's email address, in canonical form. */
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

/**
 * Returns the condition that an email is within an access scope. Emails to operators are visible only with an
 * unlimited access scope.
 */
function isWithinSql(where: Conditions, accessScope: AccessScope): string {
  const condition = where.accessScopeCondition('p', 'm.project_id', accessScope);
  if (accessScope.projectId || !accessScope.organizationIds) return condition;
  return `EXISTS (SELECT FROM projects p WHERE p.id = m.project_id AND ${condition})`;
}

const addAccessScope = (where: Conditions, accessScope: AccessScope): Conditions =>
  where.add(isWithinSql(where, accessScope));

const matchConditions = (accessScope: AccessScope, filter: MailLogFilter): Conditions =>
  addAccessScope(new Conditions(), accessScope)
    .addIf(filter.projectId, (value) => `m.project_id = ${value}`)
    .addIf(filter.customerId, (value) => `m.customer_id = ${value}`)
    .addIf(filter.email, (value) => `m.recipient = ${value}`)
    .addIf(filter.kind, (value) => `m.kind = ${value}`)
    .addIf(filter.state && storedStates[filter.state], (value) => `m.state = ANY (${value})`)
    .addIf(filter.createdAfter, (value) => `m.created_at > ${value}`)
    .addIf(filter.createdBefore, (value) => `m.created_at < ${value}`);

const search = searchStatements({
  name: 'mails',
  alias: 'm',
  columns: 'm.*',
  row: mailLogRow,
  slack: MAX_CREATED_AT_SKEW_MS,
  sampleFilters,
  matchConditions,
  chooseRange(where, accessScope, { customerId, email, projectId }) {
    if (customerId !== null)
      return ownerRange(where, accessScope, 'customer_id', customerId, 'customers', 'owner.project_id');
    if (email !== null)
      return { column: 'recipient', value: where.bind(email), condition: isWithinSql(where, accessScope) };
    if ((projectId ?? accessScope.projectId) || !accessScope.organizationIds)
      return rangeWithin(where, accessScope, projectId);
    const projects = `SELECT p.id FROM projects p WHERE ${where.accessScopeCondition('p', 'p.id', accessScope)}`;
    return { column: 'project_id', value: 'p.id', owners: `(${projects}) p` };
  },
  pageSql: (matches) => `SELECT ${mailLogColumns} FROM ${matches}`,
  scansOnlyMatches: (_accessScope, { email, customerId, kind, state }) =>
    kind === null && state === null && (email === null || customerId === null),
});

const findMail = dynamicStatement(
  mailLogRow,
  (accessScope: AccessScope, id: string) => {
    const where = addAccessScope(new Conditions(), accessScope);
    const sql = `SELECT ${mailLogColumns} FROM mails m WHERE m.id = ${where.bind(id)} AND ${where.sql}`;
    return { text: sql, values: where.values };
  },
  sampleAccessScopes.map((accessScope) => [accessScope, NIL_UUID] as const),
);

const countOverLimit = dynamicStatement(
  { count: integer },
  (accessScope: AccessScope) => {
    const where = addAccessScope(new Conditions(), accessScope).add(isRecentlyOverLimit);
    const rows = `SELECT FROM mails m WHERE ${where.sql} LIMIT ${COUNT_CAP + 1}`;
    return { text: `SELECT count(*)::int AS count FROM (${rows}) counted`, values: where.values };
  },
  sampleAccessScopes.map((accessScope) => [accessScope] as const),
);

/** The email log, which contains sent and unsent emails for 30 days. */
export class MailLogRepository extends TableSearchRepository<MailLogFilter, typeof mailLogRow> {
  constructor(database: Database) {
    super(database, search);
  }

  /** Counts the emails within an access scope that were dropped in the last hour because of a project's limit. */
  async countOverLimit(accessScope: AccessScope): Promise<CappedCount> {
    const [row] = await this.database.execute(countOverLimit(accessScope));
    return capCount(row!.count);
  }

  /** Returns an email within an access scope. @throws GatehouseError `not_found` */
  async get(accessScope: AccessScope, id: string): Promise<MailLogEntry> {
    const [mail] = await this.database.execute(findMail(accessScope, id));
    if (!mail) throw notFound();
    return mail;
  }
}
