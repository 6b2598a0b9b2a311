import type { AttemptError, OneTimeTokenKind, OneTimeTokenState, Reach } from '@gatehouse/domain';
import type { Database } from '../database.js';
import { tokenState } from '../one-time-tokens/one-time-tokens.repository.js';
import { sessionColumns, type SessionRecord } from '../sessions/sessions.repository.js';

/** Maximum size of all events together: the export is one document, built in memory. */
const MAX_EVENT_BYTES = 10 * 1024 * 1024;

/** A session, active or ended. */
export interface CustomerSessionRecord extends SessionRecord {
  revokedAt: Date | null;
  revokedReason: string | null;
}

export interface KnownAddress {
  addressBlock: string;
  lastLoginAt: Date;
}

/** A one-time token without the value. */
export interface TokenRecord {
  id: string;
  kind: OneTimeTokenKind;
  email: string;
  state: OneTimeTokenState;
  createdAt: Date;
  expiresAt: Date;
  consumedAt: Date | null;
  voidedAt: Date | null;
}

/** An email without its text. */
export interface MailRecord {
  id: string;
  kind: string;
  recipient: string;
  state: string;
  createdAt: Date;
  finishedAt: Date | null;
}

/** A request that sent an event about a customer to an endpoint. */
export interface CustomerDeliveryAttempt {
  id: string;
  deliveryId: string;
  eventId: string;
  eventType: string;
  endpointId: string;
  targetUrl: string;
  attempt: number;
  httpStatus: number;
  success: boolean;
  error: AttemptError | null;
  startedAt: Date;
}

/** All data about a customer outside their own row, each list newest first. */
export interface CustomerRecords {
  sessions: CustomerSessionRecord[];
  knownAddresses: KnownAddress[];
  tokens: TokenRecord[];
  mails: MailRecord[];
  /** The event bodies; null for those that would exceed the maximum size. */
  events: (string | null)[];
  attempts: CustomerDeliveryAttempt[];
}

/** Reads the data about a customer. The caller has found the customer within its reach. */
export class CustomerRecordsRepository {
  constructor(private readonly database: Database) {}

  /** Reads all lists. @param limit maximum length of each list */
  async readAll(reach: Reach, customerId: string, limit: number): Promise<CustomerRecords> {
    return {
      sessions: await this.listSessions(customerId, limit),
      knownAddresses: await this.listKnownAddresses(customerId, limit),
      tokens: await this.listTokens(customerId, limit),
      mails: await this.listMails(customerId, limit),
      events: await this.listEventBodies(customerId, limit),
      attempts: await this.listAttempts(reach, customerId, limit),
    };
  }

  private listSessions(customerId: string, limit: number): Promise<CustomerSessionRecord[]> {
    return this.database.queryPrepared<CustomerSessionRecord>(
      `SELECT ${sessionColumns}, s.revoked_at AS "revokedAt", s.revoked_reason AS "revokedReason"
       FROM sessions s WHERE s.customer_id = $1 ORDER BY s.id DESC LIMIT $2`,
      [customerId, limit],
    );
  }

  private listKnownAddresses(customerId: string, limit: number): Promise<KnownAddress[]> {
    return this.database.queryPrepared<KnownAddress>(
      `SELECT address_block AS "addressBlock", last_login_at AS "lastLoginAt"
       FROM customer_addresses WHERE customer_id = $1 ORDER BY last_login_at DESC LIMIT $2`,
      [customerId, limit],
    );
  }

  private listTokens(customerId: string, limit: number): Promise<TokenRecord[]> {
    return this.database.queryPrepared<TokenRecord>(
      `SELECT t.id, t.kind, t.email, ${tokenState} AS state, t.created_at AS "createdAt", t.expires_at AS "expiresAt",
         t.consumed_at AS "consumedAt", t.voided_at AS "voidedAt"
       FROM one_time_tokens t JOIN customers c ON c.id = t.customer_id JOIN projects p ON p.id = c.project_id
       WHERE t.customer_id = $1 ORDER BY t.id DESC LIMIT $2`,
      [customerId, limit],
    );
  }

  private listMails(customerId: string, limit: number): Promise<MailRecord[]> {
    return this.database.queryPrepared<MailRecord>(
      `SELECT id, kind, recipient, state, created_at AS "createdAt", finished_at AS "finishedAt"
       FROM mails WHERE customer_id = $1 ORDER BY id DESC LIMIT $2`,
      [customerId, limit],
    );
  }

  private async listEventBodies(customerId: string, limit: number): Promise<(string | null)[]> {
    const rows = await this.database.queryPrepared<{ body: string | null }>(
      `SELECT CASE WHEN sum(octet_length(body)) OVER (ORDER BY id DESC) <= $3 THEN body END AS body
       FROM (SELECT id, body FROM events WHERE customer_id = $1 ORDER BY id DESC LIMIT $2) e ORDER BY id DESC`,
      [customerId, limit, MAX_EVENT_BYTES],
    );
    return rows.map(({ body }) => body);
  }

  /**
   * Lists the attempts. A project key sees those to the endpoints of its own project, as in the log of
   * attempts.
   */
  private listAttempts(reach: Reach, customerId: string, limit: number): Promise<CustomerDeliveryAttempt[]> {
    return this.database.queryPrepared<CustomerDeliveryAttempt>(
      `SELECT a.id, a.delivery_id AS "deliveryId", a.event_id AS "eventId", a.event_type AS "eventType",
         a.endpoint_id AS "endpointId", a.target_url AS "targetUrl", a.attempt, a.http_status AS "httpStatus",
         a.success, a.error, a.started_at AS "startedAt"
       FROM (
         SELECT d.id FROM events e JOIN deliveries d ON d.event_id = e.id
         WHERE e.customer_id = $1 ORDER BY e.id DESC LIMIT $2
       ) d JOIN attempts a ON a.delivery_id = d.id JOIN webhook_endpoints w ON w.id = a.endpoint_id
       WHERE $3::uuid IS NULL OR w.project_id = $3
       ORDER BY a.id DESC LIMIT $2`,
      [customerId, limit, reach.projectId],
    );
  }
}
