// Raw SQL: times from the database clock, and a delete that returns the row.
import {
  EXCHANGE_TTL,
  type AuthenticationMethod,
  type CodeKind,
  type ExchangeMethod,
  type ProviderProfile,
} from '@gatehouse/domain';
import { ISSUED_AT, issuedAtFor } from '../customers/access-revocation-sql.js';
import type { Database } from '../database/database.js';
import { pruneInBatches, pruneStatement } from '../database/prune.js';
import type { Tx } from '../database/transactions.js';
import {
  arrayOf,
  bytea,
  jsonb,
  nullable,
  statement,
  text,
  textOf,
  timestamptz,
  uuid,
  type RowOf,
} from '../sql/statements.js';

/** The values that a code is bound to. It cannot be redeemed with different values. */
export interface ExchangeKey {
  /** The code's SHA-256. */
  codeHash: Buffer;
  kind: CodeKind;
  projectId: string;
  redirectUrl: string;
  /** The code verifier's SHA-256 in base64url. */
  codeChallenge: string;
}

/** The proof of identity in an exchange. */
export type ExchangeProof =
  /** A verified email address. */
  | { method: 'email'; email: string }
  /** A profile from an identity provider and, within a session, the customer. */
  | {
      method: 'provider';
      providerId: string;
      profile: ProviderProfile;
      customerId: string | null;
      sessionId: string | null;
    }
  /** A customer who has signed in on the hosted page. */
  | { method: 'customer'; customerId: string; providerId: string | null; amr: AuthenticationMethod[] };

export type NewSignInExchange = ExchangeKey &
  ExchangeProof & {
    /**
     * Time at which the client began the sign-in. Null for a customer: the time at which the code is issued is then
     * stored instead.
     */
    requestedAt: Date | null;
    /** Time at which the identity was proven. Default: now. */
    provenAt?: Date;
  };

const exchangeRow = {
  projectId: uuid,
  method: textOf<ExchangeMethod>(),
  kind: textOf<CodeKind>(),
  email: nullable(text),
  customerId: nullable(uuid),
  sessionId: nullable(uuid),
  providerId: nullable(uuid),
  profile: nullable(jsonb<ProviderProfile>()),
  amr: nullable(arrayOf(textOf<AuthenticationMethod>())),
  redirectUrl: text,
  codeChallenge: text,
  requestedAt: timestamptz,
  /** Time at which the identity was proven. */
  provenAt: timestamptz,
};

const exchangeColumns = `
  project_id AS "projectId", method, purpose AS kind, email, customer_id AS "customerId", session_id AS "sessionId",
  provider_id AS "providerId", profile, amr, redirect_url AS "redirectUrl", code_challenge AS "codeChallenge",
  requested_at AS "requestedAt", created_at AS "provenAt"`;

/** A stored exchange, with the request time and the proof time. */
export type SignInExchange = ExchangeProof &
  Pick<
    RowOf<typeof exchangeRow>,
    'projectId' | 'kind' | 'redirectUrl' | 'codeChallenge' | 'requestedAt' | 'provenAt'
  >;

const insertExchange = statement(
  {},
  `INSERT INTO sign_in_exchanges
     (code_hash, project_id, redirect_url, code_challenge, method, purpose, email, customer_id, session_id, provider_id, profile,
      amr, requested_at, created_at, expires_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, coalesce($13::timestamptz, ${issuedAtFor('$8')}),
     coalesce($14::timestamptz, ${ISSUED_AT}), now() + interval '${EXCHANGE_TTL} seconds')`,
);

const findExchange = statement(
  exchangeRow,
  `SELECT ${exchangeColumns} FROM sign_in_exchanges
   WHERE code_hash = $1 AND purpose = $2 AND project_id = $3 AND redirect_url = $4 AND code_challenge = $5
     AND expires_at > now()`,
);

const consumeExchange = statement(
  { codeHash: bytea },
  'DELETE FROM sign_in_exchanges WHERE code_hash = $1 RETURNING code_hash AS "codeHash"',
);

const deleteByCustomer = statement(
  {},
  'DELETE FROM sign_in_exchanges WHERE project_id = $1 AND (email = $2 OR customer_id = $3)',
);

/**
 * Condition that the profile in row `e` has the customer's email address, or that its identity is linked to the
 * customer.
 */
const belongsToCustomer = `(e.profile ->> 'email' = $2 OR EXISTS (
     SELECT FROM identities d
     WHERE d.customer_id = $3 AND d.provider_id = e.provider_id AND d.subject = e.profile ->> 'subject'))`;

const deleteExchangesAndFlows = statement(
  {},
  `WITH forgotten AS (DELETE FROM sign_in_flows e WHERE e.project_id = $1 AND ${belongsToCustomer})
   DELETE FROM sign_in_exchanges e
   WHERE e.project_id = $1 AND (e.email = $2 OR e.customer_id = $3 OR ${belongsToCustomer})`,
);

const pruneExchanges = pruneStatement('sign_in_exchanges', 'expires_at <= now()');
const pruneFlows = pruneStatement('sign_in_flows', 'expires_at <= now()');

/** Completed sign-ins that applications have not exchanged for a session yet. */
export class SignInExchangesRepository {
  constructor(private readonly database: Database) {}

  async insert(tx: Tx, exchange: NewSignInExchange): Promise<void> {
    const { codeHash, kind, projectId, redirectUrl, codeChallenge, method, requestedAt } = exchange;
    const isProvider = method === 'provider';
    await tx.execute(insertExchange, [
      codeHash,
      projectId,
      redirectUrl,
      codeChallenge,
      method,
      kind,
      method === 'email' ? exchange.email : null,
      method === 'email' ? null : exchange.customerId,
      isProvider ? exchange.sessionId : null,
      method === 'email' ? null : exchange.providerId,
      isProvider ? JSON.stringify(exchange.profile) : null,
      method === 'customer' ? exchange.amr : null,
      requestedAt,
      exchange.provenAt ?? null,
    ]);
  }

  /**
   * Returns a code's exchange, or null if the code is unknown, has expired, has a different kind or is bound to
   * different values.
   */
  async find(
    tx: Tx,
    { codeHash, kind, projectId, redirectUrl, codeChallenge }: ExchangeKey,
  ): Promise<SignInExchange | null> {
    const [row] = await tx.execute(findExchange, [codeHash, kind, projectId, redirectUrl, codeChallenge]);
    return row ? toExchange(row) : null;
  }

  /**
   * Consumes a code that `find` has returned. If calls run in parallel, exactly one returns true. The caller must
   * have locked the customer: to prevent deadlocks, every transaction locks the customer before the code.
   */
  async consume(tx: Tx, codeHash: Buffer): Promise<boolean> {
    const rows = await tx.execute(consumeExchange, [codeHash]);
    return rows.length > 0;
  }

  /**
   * Deletes a customer's exchanges, and the exchanges for their email address. The caller must have locked the
   * customer.
   */
  async deleteAll(tx: Tx, projectId: string, email: string, customerId: string): Promise<void> {
    await tx.execute(deleteByCustomer, [projectId, email, customerId]);
  }

  /**
   * Deletes the exchanges and hosted page flows, including unfinished ones, for a customer, their email address and
   * their linked identities. The caller must have locked the customer.
   */
  async deleteExchangesAndFlows(tx: Tx, projectId: string, email: string, customerId: string): Promise<void> {
    await tx.execute(deleteExchangesAndFlows, [projectId, email, customerId]);
  }

  /** Removes expired exchanges and hosted page flows. */
  async prune(signal: AbortSignal): Promise<void> {
    for (const batch of [pruneExchanges, pruneFlows]) await pruneInBatches(this.database, signal, batch);
  }
}

function toExchange(row: RowOf<typeof exchangeRow>): SignInExchange {
  const { projectId, kind, redirectUrl, codeChallenge, requestedAt, provenAt, ...proof } = row;
  const request = { projectId, kind, redirectUrl, codeChallenge, requestedAt, provenAt };
  const { customerId, sessionId, providerId } = proof;
  if (proof.method === 'email') return { ...request, method: 'email', email: proof.email! };
  if (proof.method === 'customer')
    return { ...request, method: 'customer', customerId: customerId!, providerId, amr: proof.amr! };
  const account = { providerId: providerId!, profile: proof.profile! };
  return { ...request, ...account, method: 'provider', customerId, sessionId };
}
