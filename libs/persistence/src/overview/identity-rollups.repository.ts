// Raw SQL: SKIP LOCKED, upserts of aggregates, comparisons of transaction ids, and counts in batches.
import { ACTIVE_CUSTOMER_DAYS, customerCountSpans } from '@gatehouse/domain';
import { now } from '@gatehouse/platform';
import type { Database } from '../database/database.js';
import type { Transactions } from '../database/transactions.js';
import { REALIGNED_XACT } from '../events/event-feed.repository.js';
import { dynamicStatement, integer, smallint, statement, text, uuid, type RowOf } from '../sql/statements.js';
import { NIL_UUID } from '../sql/uuid-v7.js';
import { bucketStartSql, SYSTEM_SCOPE_ID, useIndexScans } from './attempt-count-sql.js';
import { identityCountersSql, identityEventColumns, isIdentityEvent } from './identity-count-sql.js';
import { retainedSpans, type RetainedSpan } from './retained-rollups.js';

/** Number of events that one transaction counts, which takes a fraction of a second. */
const BATCH_SIZE = 5_000;

/** Number of customers that one statement counts. */
const CUSTOMER_BATCH_SIZE = 20_000;

const progressRow = {
  epoch: smallint,
  /** Id of the transaction that wrote the last counted event. */
  xact: text,
  /** The last counted event's id. */
  id: uuid,
};

type Progress = RowOf<typeof progressRow>;

/**
 * Locks and reads the progress. Transaction ids from another epoch are not comparable: see
 * `EventFeedRepository.realign`.
 */
const lockProgress = statement(
  progressRow,
  `SELECT f.epoch, CASE WHEN p.epoch = f.epoch THEN p.xact ELSE '${REALIGNED_XACT}'::xid8 END::text AS xact, p.id
   FROM identity_rollup_progress p CROSS JOIN event_feed f FOR UPDATE OF p SKIP LOCKED`,
);

/**
 * Adds the next events in the feed to the retained buckets of every length, for the installation and for their
 * projects, and advances the progress. The statement is not prepared, because the plan depends on the position.
 */
const addToRollups = dynamicStatement(
  { counted: integer },
  ({ epoch, xact, id }: Progress, retained: RetainedSpan[]) => ({
    text: `
      WITH batch AS MATERIALIZED (
        SELECT e.xact, e.id, ${identityEventColumns} FROM events e
        WHERE ${isIdentityEvent} AND (e.xact, e.id) > ($1::text::xid8, $2::uuid)
          AND e.xact < pg_snapshot_xmin(pg_current_snapshot())
        ORDER BY e.xact, e.id LIMIT ${BATCH_SIZE}
      ), added AS (
        INSERT INTO identity_rollups AS stored (span, at, scope_id, metric, label, count)
        SELECT span, ${bucketStartSql('span', 'created_at')}, scope_id, metric, label, count(*)::int
        FROM ${identityCountersSql('batch')}
          CROSS JOIN LATERAL (VALUES ('${SYSTEM_SCOPE_ID}'::uuid), (project_id)) scope (scope_id)
          JOIN unnest($3::int[], $4::timestamptz[]) AS retained (span, since) ON created_at >= since
        WHERE metric IS NOT NULL AND scope_id IS NOT NULL
        GROUP BY 1, 2, 3, 4, 5
        ON CONFLICT (span, at, scope_id, metric, label) DO UPDATE SET count = stored.count + excluded.count
      )
      UPDATE identity_rollup_progress SET epoch = $5, xact = last.xact, id = last.id
      FROM (SELECT xact, id FROM batch ORDER BY xact DESC, id DESC LIMIT 1) last
      RETURNING (SELECT count(*)::int FROM batch) AS counted`,
    values: [xact, id, retained.map(({ span }) => span), retained.map(({ since }) => since), epoch],
  }),
  [[{ epoch: 0, xact: '0', id: NIL_UUID }, []]],
);

const customerCountRow = { projectId: uuid, customers: integer, withFactor: integer, lastId: uuid };

type CustomerCount = RowOf<typeof customerCountRow>;

/** Counts the active customers in the next batch of customers, in id order. */
const countCustomers = statement(
  customerCountRow,
  `WITH scanned AS MATERIALIZED (
     SELECT c.id, c.project_id, c.disabled_at IS NULL
       AND c.last_login_at >= now() - interval '${ACTIVE_CUSTOMER_DAYS} days' AS is_active
     FROM customers c WHERE c.id > $1 ORDER BY c.id LIMIT ${CUSTOMER_BATCH_SIZE}
   )
   SELECT s.project_id AS "projectId", (count(*) FILTER (WHERE s.is_active))::int AS customers,
     (count(*) FILTER (WHERE s.is_active AND (
       EXISTS (SELECT FROM totp_factors f WHERE f.customer_id = s.id AND f.confirmed_at IS NOT NULL)
       OR EXISTS (SELECT FROM passkeys p WHERE p.customer_id = s.id))))::int AS "withFactor",
     (SELECT id FROM scanned ORDER BY id DESC LIMIT 1) AS "lastId"
   FROM scanned s GROUP BY s.project_id`,
);

const recordCustomers = statement(
  {},
  `INSERT INTO identity_rollups (span, at, scope_id, metric, label, count)
   SELECT span, ${bucketStartSql('span', '$1::timestamptz')}, scope_id, metric, '', count
   FROM unnest($2::uuid[], $3::int[], $4::int[]) AS counted (scope_id, active, with_factor)
     CROSS JOIN LATERAL (VALUES ('customers', active), ('customers_with_factor', with_factor)) value (metric, count)
     CROSS JOIN unnest('{${customerCountSpans.join(',')}}'::int[]) AS span
   ON CONFLICT (span, at, scope_id, metric, label) DO UPDATE SET count = excluded.count`,
);

/**
 * Rolls up sign-ups, sign-ins and failures. Each event is counted exactly once, in feed order and up to the oldest
 * running transaction. Changes that record events never wait for the rollup.
 */
export class IdentityRollupsRepository {
  /** Creates the repository. @param retentionMs event retention */
  constructor(
    private readonly database: Database,
    private readonly transactions: Transactions,
    private readonly retentionMs: number,
  ) {}

  /**
   * Counts the next batch of events.
   * @returns whether more are left to count; false while another worker is counting
   */
  rollUpNextBatch(): Promise<boolean> {
    return this.transactions.run(async (tx) => {
      await tx.execute(useIndexScans);
      const [progress] = await tx.execute(lockProgress);
      if (!progress) return false;
      const [batch] = await tx.execute(addToRollups(progress, retainedSpans(this.retentionMs)));
      return batch?.counted === BATCH_SIZE;
    });
  }

  /** Records how many customers are active, and how many of these have an authenticator or a passkey. */
  async recordCustomerCounts(signal: AbortSignal): Promise<void> {
    const counts = new Map([[SYSTEM_SCOPE_ID, { customers: 0, withFactor: 0 }]]);
    let lastId: string | undefined = NIL_UUID;
    while (lastId !== undefined) {
      if (signal.aborted) return;
      const rows: CustomerCount[] = await this.database.execute(countCustomers, [lastId]);
      for (const row of rows)
        for (const scope of [SYSTEM_SCOPE_ID, row.projectId]) addCount(counts, scope, row);
      lastId = rows[0]?.lastId;
    }
    const values = [...counts.values()];
    await this.database.execute(recordCustomers, [
      now(),
      [...counts.keys()],
      values.map(({ customers }) => customers),
      values.map(({ withFactor }) => withFactor),
    ]);
  }
}

function addCount(
  counts: Map<string, { customers: number; withFactor: number }>,
  scope: string,
  row: CustomerCount,
): void {
  const { customers = 0, withFactor = 0 } = counts.get(scope) ?? {};
  counts.set(scope, { customers: customers + row.customers, withFactor: withFactor + row.withFactor });
}
