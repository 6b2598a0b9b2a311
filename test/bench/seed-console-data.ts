import type { TestInstance } from '../support/test-instance.js';

/** The action of one audit log entry in RARE_EVERY. */
export const RARE_ACTION = 'customer.exported';
const RARE_EVERY = 10_000;
const ACTIONS = ['customer.created', 'customer.updated', 'customer.disabled', 'customer.enabled'];

/**
 * Inserts audit log entries about customers, evenly over the last days; every other one is by an operator.
 */
export async function seedAuditLog(instance: TestInstance, entries: number, days: number): Promise<void> {
  await instance.sql(
    `INSERT INTO audit_log (id, organization_id, project_id, actor_type, actor_id, action, target_type, target_id, ip,
       request_id, created_at)
     SELECT seed_id((extract(epoch FROM at) * 1000)::bigint, 6, n), p.organization_id, c.project_id,
       CASE WHEN n % 2 = 0 THEN 'operator' ELSE 'key' END, CASE WHEN n % 2 = 0 THEN o.id::text ELSE seed_id(1, 7, n % 50)::text END,
       CASE WHEN n % ${RARE_EVERY} = 0 THEN '${RARE_ACTION}' ELSE ($3::text[])[1 + n % ${ACTIONS.length}] END,
       'customer', c.id::text, '192.0.2.1', 'req-' || n, at
     FROM (
       SELECT id, project_id, row_number() OVER () AS n FROM customers LIMIT $1
     ) c JOIN projects p ON p.id = c.project_id CROSS JOIN (SELECT id FROM operators LIMIT 1) o
       CROSS JOIN LATERAL (SELECT now() - ($1 - n) * $2 * interval '1 day' / $1 AS at) times`,
    [entries, days, ACTIONS],
  );
  await instance.sql('VACUUM ANALYZE audit_log');
}

/** Inserts failed sign-ins of customers: one in two windows is still open, and one in four of those locks the customer. */
export async function seedFailedSignIns(instance: TestInstance, count: number): Promise<void> {
  await instance.sql(
    `INSERT INTO login_attempts (project_id, email_hash, tries, window_ends_at, failures, guesses, customer_id)
     SELECT project_id, sha256(convert_to(email, 'UTF8')), 1 + n % 4 * 3,
       now() + (n % 200 - 100) * interval '1 minute', 1 + n % 120, 1 + n % 110, id
     FROM (SELECT *, row_number() OVER () AS n FROM customers LIMIT $1) c`,
    [count],
  );
  await instance.sql('VACUUM ANALYZE login_attempts');
}

/** Inserts completed bulk redeliveries and a running one, to which the newest deliveries belong. */
export async function seedBatches(instance: TestInstance, completed: number, created: number): Promise<void> {
  await instance.sql(
    `INSERT INTO redelivery_batches (id, organization_id, project_id, kind, filter, state, reason, total, eligible, made,
       results, created_by, started_by, created_at, started_at, finished_at)
     SELECT seed_id((extract(epoch FROM at) * 1000)::bigint, 8, n), $1, $2, 'redelivery', '{"http_status":500}',
       CASE WHEN n > 0 THEN 'completed' ELSE 'running' END, 'The target is up again', $4, $4,
       CASE WHEN n > 0 THEN 300 ELSE $4 END, CASE WHEN n > 0 THEN '{"succeeded":300}'::jsonb END, by, by, at, at,
       CASE WHEN n > 0 THEN at END
     FROM generate_series(0, $3) n, LATERAL (SELECT now() - n * interval '5 minutes' AS at) times,
       LATERAL (SELECT 'operator:' || id AS by FROM operators LIMIT 1) creators`,
    [instance.credentials.organizationId, instance.credentials.projectId, completed, created],
  );
  await instance.sql(
    `UPDATE deliveries SET batch_id = (SELECT id FROM redelivery_batches WHERE state = 'running')
     WHERE id IN (SELECT id FROM deliveries ORDER BY id DESC LIMIT $1)`,
    [created],
  );
  await instance.sql('VACUUM ANALYZE deliveries');
}
