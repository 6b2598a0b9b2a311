import type { Database } from '../database.js';
import { prune } from '../prune.js';
import type { Tx } from '../transactions.js';

/** What a caller asks to be done once. */
export interface IdempotentRequest {
  projectId: string;
  /** Method and pattern of the route. */
  route: string;
  /** SHA-256 of the Idempotency-Key. */
  keyHash: Buffer;
  /** SHA-256 of what is asked for. */
  fingerprint: Buffer;
}

/** How a request with this key stands. */
export type IdempotencyStatus =
  | { state: 'started' }
  | { state: 'running' }
  | { state: 'other-request' }
  /** `claim` names the run that the encrypted answer was made in. */
  | { state: 'answered'; claim: string; response: Buffer };

const RETENTION = `interval '24 hours'`;

/** A run that has neither come to an end nor been renewed by then has died; the next may take its place. */
const RUN_TIMEOUT = `interval '20 seconds'`;

/** Requests that must not be done twice (contract, section 2, Idempotency-Key). */
export class IdempotencyKeysRepository {
  constructor(private readonly database: Database) {}

  /** Claims a request, visible to everybody at once, or tells how the earlier one stands. */
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
    // Given up in the moment between the two statements: as good as still running.
    if (!row) return { state: 'running' };
    if (!row.isSame) return { state: 'other-request' };
    return row.answer ? { state: 'answered', claim: row.claim, response: row.answer } : { state: 'running' };
  }

  /** Says that a run is still alive. */
  async renew(request: IdempotentRequest, claim: string): Promise<void> {
    await this.database.queryPrepared(
      `UPDATE idempotency_keys SET started_at = now()
       WHERE project_id = $1 AND route = $2 AND key_hash = $3 AND claim = $4 AND answer IS NULL`,
      [request.projectId, request.route, request.keyHash, claim],
    );
  }

  /**
   * Keeps the answer of a run; false when somebody else has taken its place.
   * @param customerId whom the answer tells about: it goes when they are deleted
   */
  async saveResponse(
    tx: Tx,
    request: IdempotentRequest,
    claim: string,
    answer: Buffer,
    customerId: string | null,
  ): Promise<boolean> {
    const rows = await tx.queryPrepared(
      `UPDATE idempotency_keys SET answer = $5, customer_id = $6
       WHERE project_id = $1 AND route = $2 AND key_hash = $3 AND claim = $4 AND answer IS NULL RETURNING claim`,
      [request.projectId, request.route, request.keyHash, claim, answer, customerId],
    );
    return rows.length > 0;
  }

  /** Gives a run up whose answer is not to be kept. */
  async release(request: IdempotentRequest, claim: string): Promise<void> {
    await this.database.queryPrepared(
      `DELETE FROM idempotency_keys
       WHERE project_id = $1 AND route = $2 AND key_hash = $3 AND claim = $4 AND answer IS NULL`,
      [request.projectId, request.route, request.keyHash, claim],
    );
  }

  /** Removes answers that are no longer kept. */
  async prune(signal: AbortSignal): Promise<void> {
    await prune(this.database, signal, 'idempotency_keys', `started_at < now() - ${RETENTION}`);
  }
}
