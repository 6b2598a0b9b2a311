import type { TestInstance } from '../support/test-instance.js';
import type { OperatorClient } from '../support/operator-client.js';
import { uuidAt } from '../support/seed-deliveries.js';
import { insertRows, type SeedEndpoint } from './seed-log.js';
import { operatorRequest } from './sample-people.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface DeadLetter {
  id: string;
  finished_at: string;
  [column: string]: unknown;
}

/**
 * Resolves two receiver outages. Redelivers the first receiver's dead letters in bulk. Redelivers one of the
 * second receiver's dead letters, and this redelivery fails. Plans a bulk redelivery of the rest.
 * @returns the ids, with prefixes, of the bulk redelivery, of the delivery that failed twice and of its event
 */
export async function resolveOutage(
  instance: TestInstance,
  operator: OperatorClient,
  { crm, partner }: { crm: SeedEndpoint; partner: SeedEndpoint },
): Promise<{ batch: string; delivery: string; event: string }> {
  const by = `operator:${operator.operator.id}`;
  const end = Date.now() - 4.9 * DAY_MS;
  const deadLetters = await instance.sql<DeadLetter>(
    `SELECT * FROM deliveries WHERE endpoint_id = $1 AND state = 'failed' AND created_at < now() - interval '4 days'`,
    [crm.id],
  );
  const reason = 'The CRM has been upgraded and is back';
  const batch = uuidAt(end);
  await insertRows(instance, 'redelivery_batches', [
    {
      id: batch,
      organization_id: null,
      project_id: null,
      kind: 'redelivery',
      filter: { endpoint_id: `ep_${crm.id}`, status_class: '5xx' },
      state: 'completed',
      reason,
      total: deadLetters.length,
      eligible: deadLetters.length,
      not_eligible: {},
      endpoint_ids: [crm.id],
      waiting: 0,
      made: deadLetters.length,
      skipped: {},
      results: { succeeded: deadLetters.length },
      created_by: by,
      started_by: by,
      created_at: formatTime(end),
      started_at: formatTime(end + 40_000),
      finished_at: formatTime(end + 70_000),
    },
  ]);
  await redeliver(instance, deadLetters, {
    by,
    reason,
    batch,
    at: (index) => end + 41_000 + index * 300,
    succeeds: true,
  });

  const [newest] = await instance.sql<DeadLetter>(
    `SELECT * FROM deliveries WHERE endpoint_id = $1 AND state = 'failed' AND last_http_status = 502
       AND finished_at < now() - interval '1 hour' ORDER BY event_type = 'customer.created' DESC, id DESC LIMIT 1`,
    [partner.id],
  );
  const retry = { by, reason: 'Loyalty says that their proxy is repaired', batch: null, succeeds: false };
  const [failedRedelivery] = await redeliver(instance, [newest!], {
    ...retry,
    at: () => Date.parse(String(newest!.finished_at)) + 22 * 60_000,
  });
  const [discarded] = await instance.sql<DeadLetter>(
    `SELECT id FROM deliveries WHERE state = 'failed' AND resolution IS NULL AND last_http_status = 401 LIMIT 1`,
  );
  if (discarded)
    await operatorRequest(operator, 'POST', `/webhooks/deliveries/dlv_${discarded.id}/discard`, {
      reason: 'A test account of the clinic, deleted since',
    });
  await operatorRequest(operator, 'POST', '/webhooks/redeliveries', {
    filter: { endpoint_id: `ep_${partner.id}` },
  });
  return {
    batch: `rdl_${batch}`,
    delivery: `dlv_${failedRedelivery!.id}`,
    event: `evt_${newest!['event_id'] as string}`,
  };
}

interface Redelivery {
  by: string;
  reason: string;
  batch: string | null;
  at: (index: number) => number;
  succeeds: boolean;
}

/** Inserts redeliveries for dead letters. @returns the new deliveries */
async function redeliver(
  instance: TestInstance,
  deadLetters: DeadLetter[],
  { by, reason, batch, at, succeeds }: Redelivery,
): Promise<{ id: string }[]> {
  const redeliveries = deadLetters.map((deadLetter, index) => ({
    ...deadLetter,
    id: uuidAt(at(index)),
    redelivery_of: deadLetter.id,
    batch_id: batch,
    state: succeeds ? 'succeeded' : 'failed',
    attempt: succeeds ? 1 : 5,
    last_http_status: succeeds ? 200 : 502,
    last_error: succeeds ? null : 'http_error',
    created_at: formatTime(at(index)),
    finished_at: formatTime(at(index) + (succeeds ? 140 : 2_175_400)),
  }));
  await insertRows(instance, 'deliveries', redeliveries);
  for (const each of redeliveries) {
    await instance.sql(
      `UPDATE deliveries SET resolution = 'redelivered', redelivered_as = $2, reason = $3, resolved_by = $4 WHERE id = $1`,
      [each.redelivery_of, each.id, reason, by],
    );
    await instance.sql(
      `INSERT INTO attempts (id, organization_id, project_id, event_id, event_type, endpoint_id, delivery_id, target_url,
         attempt, http_status, success, error, duration_ms, response_body, started_at, closed_at)
       SELECT gen.id, organization_id, project_id, event_id, event_type, endpoint_id, $2, target_url, attempt,
         CASE WHEN $3 THEN 200 ELSE http_status END, $3, CASE WHEN NOT $3 THEN error END, duration_ms * 1.17,
         CASE WHEN $3 THEN '{"received":true}' ELSE response_body END, gen.at, gen.at + duration_ms * interval '1 ms'
       FROM attempts a JOIN json_to_recordset($4::json) AS gen (nth int, id uuid, at timestamptz) ON gen.nth = a.attempt
       WHERE a.delivery_id = $1`,
      [
        each.redelivery_of,
        each.id,
        succeeds,
        JSON.stringify(buildAttempts(Date.parse(each.created_at), succeeds)),
      ],
    );
  }
  return redeliveries;
}

const buildAttempts = (begin: number, succeeds: boolean) =>
  (succeeds ? [0] : [0, 15_600, 73_100, 381_000, 2_174_000]).map((offset, index) => ({
    nth: index + 1,
    id: uuidAt(begin + 30 + offset),
    at: formatTime(begin + 30 + offset),
  }));

const formatTime = (time: number): string => new Date(time).toISOString();
