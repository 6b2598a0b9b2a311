import { URGENCY } from '@gatehouse/domain';
import { COUNT_CAP } from '../capped-count.js';
import type { Database } from '../database.js';

/** What the database tells of a house. At most 10,000 of anything are counted. */
export interface SystemStatus {
  /** Of PostgreSQL. */
  version: string;
  migrationsApplied: number;
  /** Deliveries that have not ended. */
  pending: number;
  /** Of them those whose time has come, without those of batches, which wait their turn. */
  due: number;
  oldestDueAt: Date | null;
  /** Of them those that a worker has in hand. */
  inFlight: number;
  mailsPending: number;
  mailsFailed: number;
  /** Of the mails that were counted. */
  oldestMailAt: Date | null;
}

const count = (from: string): string =>
  `(SELECT count(*)::int FROM (SELECT FROM ${from} LIMIT ${COUNT_CAP}) counted)`;

/** In line of an urgency, as its index goes. */
const readyDeliveries = `deliveries d WHERE d.state = 'pending' AND d.lease_until IS NULL AND d.urgency = line.urgency
  AND d.next_attempt_at <= statement_timestamp()`;

const pendingMails = `(SELECT created_at FROM mails WHERE state = 'pending' LIMIT ${COUNT_CAP}) mails`;

/** A look at the whole house: however much there is, it reads little of it, along indexes of nothing else. */
export class SystemStatusRepository {
  constructor(private readonly database: Database) {}

  async read(): Promise<SystemStatus> {
    const [row] = await this.database.queryPrepared<SystemStatus>(
      `SELECT current_setting('server_version') AS version,
         (SELECT count(DISTINCT timestamp)::int FROM migrations) AS "migrationsApplied",
         ${count(`deliveries WHERE state = 'pending'`)} AS pending,
         lines.due, lines.oldest AS "oldestDueAt",
         ${count('deliveries WHERE lease_until IS NOT NULL')} AS "inFlight",
         pending_mails.count AS "mailsPending", pending_mails.oldest AS "oldestMailAt",
         ${count(`mails WHERE state = 'failed'`)} AS "mailsFailed"
       FROM (SELECT count(*)::int, min(created_at) AS oldest FROM ${pendingMails}) pending_mails,
         (SELECT least(sum(each.count), ${COUNT_CAP})::int AS due, min(each.oldest) AS oldest
          FROM (VALUES (${URGENCY.first}), (${URGENCY.retry})) AS line (urgency) CROSS JOIN LATERAL (
            SELECT ${count(readyDeliveries)} AS count,
              (SELECT d.next_attempt_at FROM ${readyDeliveries} ORDER BY d.next_attempt_at LIMIT 1) AS oldest
          ) each) lines`,
    );
    return row!;
  }
}
