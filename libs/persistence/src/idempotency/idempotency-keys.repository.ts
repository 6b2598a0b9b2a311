import type { Database } from '../database.js';
import { prune } from '../prune.js';
import type { Tx } from '../transactions.js';

/** A request that must be executed once. */
export interface IdempotentRequest {
  projectId: string;
  /** Method and pattern of the route. */
  route: string;
  /** SHA-256 of the Idempotency-Key. */
  keyHash: Buffer;
  /** SHA-256 of the request. */
  fingerprint: Buffer;
}

/** The status of a request with an Idempotency-Key. */
export type IdempotencyStatus =
  | { state: 'started' }
  | { state: 'running' }
  | { state: 'other-request' }
  /** `claim` identifies the run in which the encrypted response was created. */
  | { state: 'answered'; claim: string; response: Buffer };

const RETENTION = `interval '24 hours'`;

/**
 * Time after which a run that has neither finished nor been renewed counts as dead. The next request may
 * replace it.
 */
const RUN_TIMEOUT = `interval '20 seconds'`;

/** Stores requests that must not be executed twice (contract, section 2, Idempotency-Key). */
export class IdempotencyKeysRepository {
  constructor(private readonly database: Database) {}

  /**
   * Claims a request, visible to all processes immediately, or returns the status of the earlier request with
   * this key.
   */
  async begin(request: IdempotentRequest, claim: string): Promise<IdempotencyStatus> {
    const { projectId, route, keyHash, fingerprint } = request;
    const started = await this.database.queryPrepared(
      `INSERT INTO idempotency_keys AS k (project_id, route, key_hash, fingerprint, claim)
       VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (project_id, route, key_hash) DO UPDATE
         SET fingerprint = excluded.fingerprint, claim = excluded.claim, answer = NULL, customer_id = NULL, started_at = now()
         WHERE k.started_at < now() - ${RETENTION}
           OR (k.answer IS NULL AND k.started_at < now() - ${RUN_TIMEOUT} AND k.fingerprint = excluded.fingerprint)
       RETURNING claim`,
      [projectId, route, keyHash, fingerprint, claim],
    );
    if (started.length > 0) return { state: 'started' };
    const [row] = await this.database.queryPrepared<{
      isSame: boolean;
      claim: string;
      answer: Buffer | null;
    }>(
      `SELECT fingerprint = $4 AS "isSame", claim, answer FROM idempotency_keys
       WHERE project_id = $1 AND route = $2 AND key_hash = $3`,
      [projectId, route, keyHash, fingerprint],
    );
    // Released between the two statements: treated as still running.
    if (!row) return { state: 'running' };
    if (!row.isSame) return { state: 'other-request' };
    return row.answer ? { state: 'answered', claim: row.claim, response: row.answer } : { state: 'running' };
  }

  /** Records that a run is still active. */
  async renew(request: IdempotentRequest, claim: string): Promise<void> {
    await this.database.queryPrepared(
      `UPDATE idempotency_keys SET started_at = now()
       WHERE project_id = $1 AND route = $2 AND key_hash = $3 AND claim = $4 AND answer IS NULL`,
      [request.projectId, request.route, request.keyHash, claim],
    );
  }

  /**
   * Stores the response of a run; returns false if another run has replaced it.
   * @param customerId the customer that the response is about: it is removed when they are deleted
   */
  async saveResponse(
    tx: Tx,
    request: IdempotentRequest,
    claim: string,
    response: Buffer,
    customerId: string | null,
  ): Promise<boolean> {
    const rows = await tx.queryPrepared(
      `UPDATE idempotency_keys SET answer = $5, customer_id = $6
       WHERE project_id = $1 AND route = $2 AND key_hash = $3 AND claim = $4 AND answer IS NULL RETURNING claim`,
      [request.projectId, request.route, request.keyHash, claim, response, customerId],
    );
    return rows.length > 0;
  }

  /** Releases a run whose response is not to be stored. */
  async release(request: IdempotentRequest, claim: string): Promise<void> {
    await this.database.queryPrepared(
      `DELETE FROM idempotency_keys
       WHERE project_id = $1 AND route = $2 AND key_hash = $3 AND claim = $4 AND answer IS NULL`,
      [request.projectId, request.route, request.keyHash, claim],
    );
  }

  /** Removes responses whose retention has ended. */
  async prune(signal: AbortSignal): Promise<void> {
    await prune(this.database, signal, 'idempotency_keys', `started_at < now() - ${RETENTION}`);
  }
}
