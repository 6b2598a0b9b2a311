import type { TestInstance } from './test-instance.js';

const statusClassSql = (status: string): string =>
  `CASE WHEN ${status} = 0 THEN 'none' WHEN ${status} BETWEEN 200 AND 599 THEN ${status} / 100 || 'xx'
     WHEN ${status} IS NOT NULL THEN 'other' END`;

/**
 * The condition for each query parameter: SQL over attempts `a`, their deliveries `d` and events `e`. `$` stands for
 * the value.
 */
const conditions: Record<string, string> = {
  project_id: 'd.project_id::text = $',
  organization_id: 'd.organization_id::text = $',
  endpoint_id: 'd.endpoint_id::text = $',
  event: 'd.event_type = $',
  event_id: 'd.event_id::text = $',
  delivery_id: 'd.id::text = $',
  delivery_state: 'd.state = $',
  batch_id: 'd.batch_id::text = $',
  customer_id: 'e.customer_id::text = $',
  success: 'a.success::text = $',
  http_status: 'a.http_status::text = $',
  status_class: `${statusClassSql('a.http_status')} = $`,
  attempt: 'a.attempt::text = $',
  error: 'a.error = $',
  created_after: 'a.started_at > $::timestamptz',
  created_before: 'a.started_at < $::timestamptz',
};
const deadLetterConditions: Record<string, string> = {
  ...conditions,
  http_status: 'd.last_http_status::text = $',
};
const deliveryConditions: Record<string, string> = {
  ...deadLetterConditions,
  state: 'd.state = $',
  status_class: `${statusClassSql('d.last_http_status')} = $`,
  error: 'd.last_error = $',
  failed_attempts: 'EXISTS (SELECT FROM attempts WHERE delivery_id = d.id AND NOT success)::text = $',
  created_after: 'd.created_at > $::timestamptz',
  created_before: 'd.created_at < $::timestamptz',
};

/** The condition for a search string, by its form. */
const searchConditions: [RegExp, string][] = [
  [/^dlv_/, 'd.id::text = $'],
  [/^att_/, 'a.id::text = $'],
  [/^evt_/, 'd.event_id::text = $'],
  [/^ep_/, 'd.endpoint_id::text = $'],
  [/^https/, 'd.endpoint_id IN (SELECT id FROM webhook_endpoints WHERE starts_with(url, $))'],
  [/@/, 'e.customer_id IN (SELECT id FROM customers WHERE email = lower(trim($)))'],
  [/^[0-9a-f-]{36}$/, 'e.customer_id::text = $'],
  [
    /./,
    `d.endpoint_id IN (SELECT id FROM webhook_endpoints WHERE CASE WHEN name IS NULL
       THEN starts_with(split_part(url, '/', 3), $) ELSE strpos(lower(name), lower($)) > 0 END)`,
  ],
];

/** The condition for each dead letter `resolution`. */
export const resolutionConditions: Record<string, string> = {
  waiting: 'd.resolution IS NULL',
  resolved: 'd.resolution IS NOT NULL',
  redelivered: `d.resolution = 'redelivered'`,
  discarded: `d.resolution = 'discarded'`,
  erased: `d.resolution = 'erased'`,
};

const conditionsOf = {
  attempts: conditions,
  deliveries: deliveryConditions,
  'dead letters': deadLetterConditions,
};

/**
 * Returns the ids that a list of attempts, deliveries or dead letters must contain, newest first.
 * @param query the request's query parameters
 * @param accessScope SQL condition for the rows that the caller can access
 */
export async function findExpectedIds(
  instance: TestInstance,
  list: keyof typeof conditionsOf,
  query: Record<string, string>,
  accessScope = 'true',
): Promise<string[]> {
  const { limit: _, resolution = 'waiting', ...filters } = query;
  const isLog = list === 'attempts';
  const values = Object.values(filters).map((value) => value.replace(/^(dlv|att|evt|ep|rdl)_/, ''));
  const clauses = Object.entries(filters).map(([name, value], index) => {
    const condition = conditionsOf[list][name];
    return (condition ?? searchConditions.find(([form]) => form.test(value))![1]).replaceAll(
      '$',
      `$${index + 1}`,
    );
  });
  if (list === 'dead letters') clauses.push(`d.state = 'failed'`, resolutionConditions[resolution]!);
  const id = isLog ? 'a.id' : 'd.id';
  const rows = await instance.sql<{ id: string }>(
    `SELECT DISTINCT ${id} FROM attempts a ${isLog ? '' : 'RIGHT'} JOIN deliveries d ON d.id = a.delivery_id
       JOIN events e ON e.id = d.event_id
     WHERE ${[accessScope, ...clauses].join(' AND ')} ORDER BY ${id} DESC`,
    values,
  );
  return rows.map((row) => (isLog ? 'att_' : 'dlv_') + row.id);
}
