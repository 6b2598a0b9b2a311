// Raw SQL: long lists, joins, and states and times computed in the database.
import type { AttemptError, OneTimeTokenKind, OneTimeTokenState, AccessScope } from '@gatehouse/domain';
import type { Database } from '../database/database.js';
import { listIdentities, type Identity } from '../identity-providers/identities.repository.js';
import { tokenState } from '../one-time-tokens/one-time-tokens.repository.js';
import { listPasskeys, type Passkey } from '../passkeys/passkeys.repository.js';
import { proofColumns, proofRow, sessionColumns, sessionRow } from '../sessions/session-sql.js';
import {
  boolean,
  nullable,
  smallint,
  statement,
  text,
  textOf,
  timestamptz,
  uuid,
  type RowOf,
} from '../sql/statements.js';

/** Maximum total size of the event bodies, in bytes. The export is one document, built in memory. */
const MAX_EVENT_BYTES = 10 * 1024 * 1024;

const customerSessionRow = {
  ...sessionRow,
  ...proofRow,
  revokedAt: nullable(timestamptz),
  revokedReason: nullable(text),
};

const knownAddressRow = { addressBlock: text, lastLoginAt: timestamptz };

const tokenRow = {
  id: uuid,
  kind: textOf<OneTimeTokenKind>(),
  email: text,
  state: textOf<OneTimeTokenState>(),
  createdAt: timestamptz,
  expiresAt: timestamptz,
  consumedAt: nullable(timestamptz),
  voidedAt: nullable(timestamptz),
};

const mailRow = {
  id: uuid,
  kind: text,
  recipient: text,
  state: text,
  createdAt: timestamptz,
  finishedAt: nullable(timestamptz),
};

const attemptRow = {
  id: uuid,
  deliveryId: uuid,
  eventId: uuid,
  eventType: text,
  endpointId: uuid,
  targetUrl: text,
  attempt: smallint,
  httpStatus: smallint,
  success: boolean,
  error: nullable(textOf<AttemptError>()),
  startedAt: timestamptz,
};

/** An active or ended session. */
export type CustomerSessionRecord = RowOf<typeof customerSessionRow>;

/** An address block that a customer has signed in from. */
export type KnownAddress = RowOf<typeof knownAddressRow>;

/** A one-time token without its value. */
export type TokenRecord = RowOf<typeof tokenRow>;

/** An email without its content. */
export type MailRecord = RowOf<typeof mailRow>;

/** A request that sent an event about a customer to an endpoint. */
export type CustomerDeliveryAttempt = RowOf<typeof attemptRow>;

/** All data about a customer except their own row. Each list is sorted newest first. */
export interface CustomerRecords {
  sessions: CustomerSessionRecord[];
  knownAddresses: KnownAddress[];
  passkeys: Passkey[];
  identities: Identity[];
  tokens: TokenRecord[];
  mails: MailRecord[];
  /** Event bodies. Null for older events once the maximum total size is reached. */
  events: (string | null)[];
  attempts: CustomerDeliveryAttempt[];
}

const listSessions = statement(
  customerSessionRow,
  `SELECT ${sessionColumns}, ${proofColumns}, s.revoked_at AS "revokedAt", s.revoked_reason AS "revokedReason"
   FROM sessions s WHERE s.customer_id = $1 ORDER BY s.id DESC LIMIT $2`,
);

const listKnownAddresses = statement(
  knownAddressRow,
  `SELECT address_block AS "addressBlock", last_login_at AS "lastLoginAt"
   FROM customer_addresses WHERE customer_id = $1 ORDER BY last_login_at DESC LIMIT $2`,
);

const listTokens = statement(
  tokenRow,
  `SELECT t.id, t.kind, t.email, ${tokenState} AS state, t.created_at AS "createdAt", t.expires_at AS "expiresAt",
     t.consumed_at AS "consumedAt", t.voided_at AS "voidedAt"
   FROM one_time_tokens t JOIN customers c ON c.id = t.customer_id JOIN projects p ON p.id = c.project_id
   WHERE t.customer_id = $1 ORDER BY t.id DESC LIMIT $2`,
);

const listMails = statement(
  mailRow,
  `SELECT id, kind, recipient, state, created_at AS "createdAt", finished_at AS "finishedAt"
   FROM mails WHERE customer_id = $1 ORDER BY id DESC LIMIT $2`,
);

const listEventBodies = statement(
  { body: nullable(text) },
  `SELECT CASE WHEN sum(octet_length(body)) OVER (ORDER BY id DESC) <= $3 THEN body END AS body
   FROM (SELECT id, body FROM events WHERE customer_id = $1 ORDER BY id DESC LIMIT $2) e ORDER BY id DESC`,
);

const listAttempts = statement(
  attemptRow,
  `SELECT a.id, a.delivery_id AS "deliveryId", a.event_id AS "eventId", a.event_type AS "eventType",
     a.endpoint_id AS "endpointId", a.target_url AS "targetUrl", a.attempt, a.http_status AS "httpStatus",
     a.success, a.error, a.started_at AS "startedAt"
   FROM (
     SELECT d.id FROM events e JOIN deliveries d ON d.event_id = e.id
     WHERE e.customer_id = $1 ORDER BY e.id DESC LIMIT $2
   ) d JOIN attempts a ON a.delivery_id = d.id JOIN webhook_endpoints w ON w.id = a.endpoint_id
   WHERE $3::uuid IS NULL OR w.project_id = $3
   ORDER BY a.id DESC LIMIT $2`,
);

/** Reads the data about a customer. The caller has found the customer within its access scope. */
export class CustomerRecordsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Reads all lists. With a project key, the attempts are limited to its project's endpoints, as in the attempt log.
   * @param limit maximum list length
   */
  async readAll(accessScope: AccessScope, customerId: string, limit: number): Promise<CustomerRecords> {
    const values = [customerId, limit];
    const sessions = await this.database.execute(listSessions, values);
    const knownAddresses = await this.database.execute(listKnownAddresses, values);
    const passkeys = await this.database.execute(listPasskeys, [customerId]);
    const identities = await this.database.execute(listIdentities, [customerId]);
    const tokens = await this.database.execute(listTokens, values);
    const mails = await this.database.execute(listMails, values);
    const events = await this.database.execute(listEventBodies, [...values, MAX_EVENT_BYTES]);
    const attempts = await this.database.execute(listAttempts, [...values, accessScope.projectId]);
    return {
      sessions,
      knownAddresses,
      passkeys,
      identities,
      tokens,
      mails,
      events: events.map(({ body }) => body),
      attempts,
    };
  }
}
