import type { TestInstance } from '../support/test-instance.js';

/** The action of one in RARE_EVERY audit log entries. */
export const RARE_ACTION = 'customer.exported';
const RARE_EVERY = 10_000;
const MAIL_KIND = 'password-reset';
const ACTIONS = ['customer.created', 'customer.updated', 'customer.disabled', 'customer.enabled'];

/**
 * Inserts audit log entries about customers, spread evenly over the last days. Every other entry is by an operator.
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

/** Inserts failed sign-ins for customers. Half of them still count, and a quarter of these lock the customer. */
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

/**
 * Inserts emails to customers, spread evenly over the last days. One in a hundred was dropped, and one in a hundred has
 * failed.
 */
export async function seedMails(instance: TestInstance, count: number, days: number): Promise<void> {
  await instance.sql(
    `INSERT INTO mails (id, project_id, customer_id, kind, recipient, state, tries, reason, created_at, finished_at)
     SELECT seed_id((extract(epoch FROM at) * 1000)::bigint, 9, n), project_id, id, '${MAIL_KIND}', email,
       CASE n % 100 WHEN 0 THEN 'dropped' WHEN 1 THEN 'failed' ELSE 'sent' END, 1,
       CASE n % 100 WHEN 0 THEN 'project_limit' WHEN 1 THEN 'rejected' END, at, at
     FROM (SELECT *, row_number() OVER () AS n FROM customers LIMIT $1) c
       CROSS JOIN LATERAL (SELECT now() - ($1 - n) * $2 * interval '1 day' / $1 AS at) times`,
    [count, days],
  );
  await instance.sql('VACUUM ANALYZE mails');
}

/** Inserts API keys into all projects of an instance's organization. */
export async function seedApiKeys(instance: TestInstance, each: number): Promise<void> {
  await instance.sql(
    `INSERT INTO api_keys (id, organization_id, project_id, name, type, access, key_hash, prefix, last4, revoked_at)
     SELECT gen_random_uuid(), p.organization_id, p.id, (ARRAY['Billing', 'Backend', 'Nightly jobs'])[1 + n % 3] || ' ' || n,
       'secret', 'project', sha256(convert_to(p.id::text || n, 'UTF8')), 'sk_live_', lpad(to_hex(n), 4, '0'),
       CASE WHEN n % 4 = 0 THEN now() END
     FROM projects p, generate_series(1, $2) n WHERE p.organization_id = $1`,
    [instance.credentials.organizationId, each],
  );
  await instance.sql('VACUUM ANALYZE api_keys');
}

/**
 * Inserts the records of a customer with an automated client, spread evenly over the last days: sign-ins, each with a
 * new session, and for every hundred sign-ins an audit log entry and an email. No endpoint received the events.
 * @returns the customer's id
 */
export async function seedBusyCustomer(
  instance: TestInstance,
  signIns: number,
  days: number,
): Promise<string> {
  const [customer] = await instance.sql<{ id: string }>(
    'SELECT id FROM customers WHERE project_id = $1 LIMIT 1',
    [instance.credentials.projectId],
  );
  const { id } = customer!;
  const times = `generate_series(1, $3::int) n,
    LATERAL (SELECT now() - ($3 - n) * $4 * interval '1 day' / $3 AS at) times,
    LATERAL (SELECT (extract(epoch FROM at) * 1000)::bigint AS ms) milliseconds`;
  const values = [instance.credentials.organizationId, id, signIns, days];
  await instance.sql(
    `INSERT INTO events (id, organization_id, project_id, customer_id, type, body, created_at)
     SELECT seed_id(ms, 10 + k::int, n), $1, c.project_id, c.id, type, json_build_object('type', type, 'created_at', at, 'data', '{}'::json)::text, at
     FROM ${times}, unnest('{login.succeeded,session.created}'::text[]) WITH ORDINALITY types (type, k), customers c WHERE c.id = $2`,
    values,
  );
  await instance.sql(
    `INSERT INTO audit_log (id, organization_id, project_id, actor_type, actor_id, action, target_type, target_id, created_at)
     SELECT seed_id(ms, 13, n), $1, c.project_id, 'key', seed_id(1, 7, 1)::text, 'customer.updated', 'customer', c.id::text, at
     FROM ${times}, customers c WHERE c.id = $2 AND n % 100 = 0`,
    values,
  );
  await instance.sql(
    `INSERT INTO mails (id, project_id, customer_id, kind, recipient, state, tries, created_at, finished_at)
     SELECT seed_id(ms, 14, n), c.project_id, c.id, '${MAIL_KIND}', c.email, 'sent', 1, at, at
     FROM ${times}, customers c WHERE c.id = $2 AND n % 100 = 0 AND $1::uuid IS NOT NULL`,
    values,
  );
  for (const table of ['events', 'audit_log', 'mails']) await instance.sql(`VACUUM ANALYZE ${table}`);
  return id;
}
