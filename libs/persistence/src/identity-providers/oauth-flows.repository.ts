// Raw SQL: a conditional delete that returns the row, and times from the database clock.
import { OAUTH_FLOW_TTL, type CodeKind } from '@gatehouse/domain';
import type { Database } from '../database/database.js';
import { pruneInBatches, pruneStatement } from '../database/prune.js';
import {
  bytea,
  integer,
  nullable,
  statement,
  text,
  textOf,
  timestamptz,
  uuid,
  type RowOf,
} from '../sql/statements.js';

const flowRow = {
  projectId: uuid,
  providerId: uuid,
  purpose: textOf<CodeKind>(),
  customerId: nullable(uuid),
  sessionId: nullable(uuid),
  redirectUrl: text,
  codeChallenge: text,
  applicationState: nullable(text),
  flowState: nullable(bytea),
  nonce: text,
  codeVerifier: text,
  maxAge: nullable(integer),
  pageQuery: nullable(text),
  /** The browser cookie's SHA-256 hash if the sign-in started on the hosted page; otherwise null. */
  browserHash: nullable(bytea),
  createdAt: timestamptz,
};

const flowColumns = `
  project_id AS "projectId", provider_id AS "providerId", purpose, customer_id AS "customerId", session_id AS "sessionId",
  redirect_url AS "redirectUrl", code_challenge AS "codeChallenge", application_state AS "applicationState", flow_state AS "flowState", nonce,
  code_verifier AS "codeVerifier", max_age AS "maxAge", page_query AS "pageQuery", browser_hash AS "browserHash", created_at AS "createdAt"`;

/** A sign-in in progress at a provider. */
export type OAuthFlow = RowOf<typeof flowRow>;

const insertFlow = statement(
  {},
  `INSERT INTO oauth_flows (state_hash, project_id, provider_id, purpose, customer_id, session_id, redirect_url, code_challenge,
     application_state, flow_state, nonce, code_verifier, max_age, page_query, browser_hash, expires_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, now() + interval '${OAUTH_FLOW_TTL} seconds')`,
);

const consumeFlow = statement(
  flowRow,
  `DELETE FROM oauth_flows WHERE state_hash = $1 AND provider_id = $2 AND expires_at > now() RETURNING ${flowColumns}`,
);

const insertOperatorFlow = statement(
  {},
  `INSERT INTO operator_flows (state_hash, expires_at) VALUES ($1, now() + $2 * interval '1 second')`,
);

const consumeOperatorFlow = statement(
  { stateHash: bytea },
  `DELETE FROM operator_flows WHERE state_hash = $1 AND expires_at > now() RETURNING state_hash AS "stateHash"`,
);

const claimIdToken = statement(
  { tokenHash: bytea },
  `INSERT INTO used_id_tokens (token_hash, expires_at) VALUES ($1, $2)
   ON CONFLICT (token_hash) DO NOTHING RETURNING token_hash AS "tokenHash"`,
);

const pruneFlows = pruneStatement('oauth_flows', 'expires_at <= now()');
const pruneOperatorFlows = pruneStatement('operator_flows', 'expires_at <= now()');
const pruneIdTokens = pruneStatement('used_id_tokens', 'expires_at <= now()');

/**
 * Stores customer sign-ins in progress at providers, so that any API process can finish them. Also stores operator
 * sign-ins and used id tokens, so that each is accepted only once.
 */
export class OAuthFlowsRepository {
  constructor(private readonly database: Database) {}

  async insert(stateHash: Buffer, flow: Omit<OAuthFlow, 'createdAt'>): Promise<void> {
    await this.database.execute(insertFlow, [
      stateHash,
      flow.projectId,
      flow.providerId,
      flow.purpose,
      flow.customerId,
      flow.sessionId,
      flow.redirectUrl,
      flow.codeChallenge,
      flow.applicationState,
      flow.flowState,
      flow.nonce,
      flow.codeVerifier,
      flow.maxAge,
      flow.pageQuery,
      flow.browserHash,
    ]);
  }

  /**
   * Consumes a state. Only one of several concurrent calls returns the flow; the others return null. Also returns
   * null, without consuming the state, if it belongs to another provider.
   */
  async consume(stateHash: Buffer, providerId: string): Promise<OAuthFlow | null> {
    const [row] = await this.database.execute(consumeFlow, [stateHash, providerId]);
    return row ?? null;
  }

  /**
   * Stores the start of an operator sign-in.
   * @param ttl validity in seconds
   */
  async insertForOperator(stateHash: Buffer, ttl: number): Promise<void> {
    await this.database.execute(insertOperatorFlow, [stateHash, ttl]);
  }

  /** Consumes an operator sign-in's state. Only one of several concurrent calls returns true. */
  async consumeForOperator(stateHash: Buffer): Promise<boolean> {
    const rows = await this.database.execute(consumeOperatorFlow, [stateHash]);
    return rows.length > 0;
  }

  /**
   * Marks an id token as used. Only one of several concurrent calls returns true.
   * @param expiresAt token expiry
   */
  async claimIdToken(tokenHash: Buffer, expiresAt: Date): Promise<boolean> {
    const rows = await this.database.execute(claimIdToken, [tokenHash, expiresAt]);
    return rows.length > 0;
  }

  /** Removes expired states and expired id tokens. */
  async prune(signal: AbortSignal): Promise<void> {
    for (const batch of [pruneFlows, pruneOperatorFlows, pruneIdTokens])
      await pruneInBatches(this.database, signal, batch);
  }
}
