import type { TestInstance } from '../support/test-instance.js';

/** The type of the inserted events. No measured endpoint receives it. */
export const SEEDED_EVENT = 'session.revoked';

/** Inserts deliveries to an endpoint, as after an outage. @param id the endpoint's id in API format */
export async function seedDeliveries(
  instance: TestInstance,
  id: string,
  count: number,
  state: 'pending' | 'failed',
): Promise<void> {
  await instance.sql(
    `WITH endpoint AS (SELECT * FROM webhook_endpoints WHERE id = $1),
     inserted AS (
       INSERT INTO events (id, organization_id, project_id, type, body, created_at)
       SELECT uuidv7(), organization_id, project_id, '${SEEDED_EVENT}', '{"data":{}}', now()
       FROM endpoint, generate_series(1, $2::int) RETURNING id
     )
     INSERT INTO deliveries (id, organization_id, project_id, event_id, event_type, endpoint_id, target_url, state,
       attempt, next_attempt_at, finished_at, last_http_status, last_error)
     SELECT uuidv7(), w.organization_id, w.project_id, inserted.id, '${SEEDED_EVENT}', w.id, w.url, $3,
       CASE $3 WHEN 'failed' THEN 5 ELSE 0 END, CASE $3 WHEN 'pending' THEN now() END,
       CASE $3 WHEN 'failed' THEN now() END, CASE $3 WHEN 'failed' THEN 500 END,
       CASE $3 WHEN 'failed' THEN 'http_error' END
     FROM inserted, endpoint w`,
    [id.slice(id.indexOf('_') + 1), count, state],
  );
}
