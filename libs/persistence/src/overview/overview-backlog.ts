// Raw SQL: counts that stop at a limit.
import { URGENCY } from '@gatehouse/domain';
import type { Tx } from '../database/transactions.js';
import {
  capCount,
  capScanCount,
  COUNT_CAP,
  COUNT_SCAN_LIMIT,
  type CappedCount,
} from '../lists/capped-count.js';
import { dynamicStatement, integer, nullable, timestamptz } from '../sql/statements.js';
import { NIL_UUID } from '../sql/uuid-v7.js';
import { isDeadLetter } from '../webhooks/delivery-filter.js';

/** Dead letters and pending deliveries. */
export interface OverviewBacklog {
  deadLetters: CappedCount & { oldestAt: Date | null };
  /** `oldestDueAt` excludes bulk redeliveries, which wait by design. */
  pending: CappedCount & { oldestDueAt: Date | null };
}

const isInReadyQueue = `d.state = 'pending' AND d.lease_until IS NULL`;
const urgencies = `(VALUES (${URGENCY.first}), (${URGENCY.retry})) AS queue (urgency)`;

/** Returns SQL for the installation's oldest dead letters or, one project at a time, those in the projects $1. */
type DeadLettersSql = (limit: number) => string;

const systemDeadLetters: DeadLettersSql = (limit) =>
  `SELECT d.finished_at FROM deliveries d WHERE ${isDeadLetter} ORDER BY d.finished_at LIMIT ${limit}`;

/** Compares and orders rows, so that only the project index provides the order. */
const projectDeadLetters: DeadLettersSql = (limit) => `
  SELECT d.finished_at FROM unnest($1::uuid[]) p (id) CROSS JOIN LATERAL (
    SELECT d.finished_at FROM deliveries d WHERE ${isDeadLetter}
      AND (d.project_id, d.finished_at) >= (p.id, timestamptz '-infinity')
      AND (d.project_id, d.finished_at) <= (p.id, timestamptz 'infinity')
    ORDER BY d.project_id, d.finished_at LIMIT ${limit}
  ) d LIMIT ${COUNT_CAP + 1}`;

const deadLetterColumns = (deadLetters: DeadLettersSql): string => `
  (SELECT count(*) FROM (${deadLetters(COUNT_CAP + 1)}) found)::int AS "deadLetters",
  (SELECT min(finished_at) FROM (${deadLetters(1)}) oldest) AS "oldestAt"`;

const SYSTEM_BACKLOG_QUERY = `
  SELECT ${deadLetterColumns(systemDeadLetters)}, pending, pending AS scanned, (
    SELECT min(at) FROM ${urgencies} CROSS JOIN LATERAL (
      SELECT d.next_attempt_at AS at FROM deliveries d WHERE ${isInReadyQueue} AND d.urgency = queue.urgency
      ORDER BY d.next_attempt_at LIMIT 1
    ) first WHERE at <= statement_timestamp()
  ) AS "oldestDueAt"
  FROM (
    SELECT count(*)::int AS pending
    FROM (SELECT FROM deliveries d WHERE d.state = 'pending' LIMIT ${COUNT_CAP + 1}) found
  ) counted`;

/**
 * Reads the deliveries to each endpoint that can receive the projects' events, because no index contains pending
 * deliveries by project.
 */
const PROJECTS_BACKLOG_QUERY = `
  WITH endpoints AS MATERIALIZED (
    SELECT DISTINCT w.id FROM projects p JOIN webhook_endpoints w ON w.organization_id = p.organization_id
      AND (w.project_id = p.id OR w.level = 'organization') WHERE p.id = ANY ($1::uuid[])
  )
  SELECT ${deadLetterColumns(projectDeadLetters)}, pending, scanned, (
    SELECT min(at) FROM endpoints w CROSS JOIN ${urgencies} CROSS JOIN LATERAL (
      SELECT at FROM (
        SELECT d.next_attempt_at AS at, d.project_id FROM deliveries d
        WHERE d.endpoint_id = w.id AND ${isInReadyQueue} AND d.urgency = queue.urgency
        ORDER BY d.next_attempt_at LIMIT 1000
      ) queued WHERE project_id = ANY ($1::uuid[]) ORDER BY at LIMIT 1
    ) first WHERE at <= statement_timestamp()
  ) AS "oldestDueAt"
  FROM (
    SELECT (count(*) FILTER (WHERE project_id = ANY ($1::uuid[])))::int AS pending, count(*)::int AS scanned
    FROM (
      SELECT d.project_id FROM endpoints w CROSS JOIN LATERAL (
        SELECT d.project_id FROM deliveries d WHERE d.endpoint_id = w.id AND d.state = 'pending' LIMIT ${COUNT_SCAN_LIMIT}
      ) d LIMIT ${COUNT_SCAN_LIMIT}
    ) found
  ) counted`;

/** The statement is not prepared, because the plan depends on the backlog's length. */
const readBacklog = dynamicStatement(
  {
    deadLetters: integer,
    oldestAt: nullable(timestamptz),
    pending: integer,
    /** Number of scanned deliveries. */
    scanned: integer,
    oldestDueAt: nullable(timestamptz),
  },
  (projectIds: string[] | null) =>
    projectIds
      ? { text: PROJECTS_BACKLOG_QUERY, values: [projectIds] }
      : { text: SYSTEM_BACKLOG_QUERY, values: [] },
  [[null], [[NIL_UUID]]],
);

/** Reads the backlog for the installation or for projects from a bounded number of rows. */
export async function readOverviewBacklog(tx: Tx, projectIds: string[] | null): Promise<OverviewBacklog> {
  const [row] = await tx.execute(readBacklog(projectIds));
  const { deadLetters, oldestAt, pending, scanned, oldestDueAt } = row!;
  return {
    deadLetters: { ...capCount(deadLetters), oldestAt },
    pending: { ...capScanCount({ scanned, matching: pending }, COUNT_SCAN_LIMIT), oldestDueAt },
  };
}
