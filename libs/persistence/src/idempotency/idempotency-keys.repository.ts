// Raw SQL: an upsert and conditional updates that run for every request with an Idempotency-Key.
import type { Database } from '../database/database.js';
import { pruneStatement, pruneInBatches } from '../database/prune.js';
import type { Tx } from '../database/transactions.js';
import { boolean, bytea, nullable, statement, uuid } from '../sql/statements.js';

/** A request that must be executed once. */
export interface IdempotentRequest {
  projectId: string;
  /** Route method and pattern. */
  route: string;
  /** The Idempotency-Key's SHA-256 hash. */
  keyHash: Buffer;
  /** The request's SHA-256 hash. */
  fingerprint: Buffer;
}

/** The status of a request with an Idempotency-Key. */
export type IdempotencyStatus =
  | { state: 'started' }
  | { state: 'running' }
  | { state: 'other-request' }
  /** `claim` identifies the run in which the encrypted response was created. */
  | { state: 'finished'; claim: string; response: Buffer };

const RETENTION = `interval '24 hours'`;

/**
 * How long an unfinished run can go without a renewal before it counts as dead. The next request with the key may then
 * replace it.
 */
const RUN_TIMEOUT = `interval '20 seconds'`;

/** SQL for the condition that a run is still active: its response is null until it finishes. */
const isActiveRun = 'project_id = $1 AND route = $2 AND key_hash = $3 AND claim = $4 AND answer IS NULL';

const claimRequest = statement(
  { claim: uuid },
  `INSERT INTO idempotency_keys AS k (project_id, route, key_hash, fingerprint, claim)
   VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT (project_id, route, key_hash) DO UPDATE
     SET fingerprint = excluded.fingerprint, claim = excluded.claim, answer = NULL, customer_id = NULL, started_at = now()
     WHERE k.started_at < now() - ${RETENTION}
       OR (k.answer IS NULL AND k.started_at < now() - ${RUN_TIMEOUT} AND k.fingerprint = excluded.fingerprint)
   RETURNING claim`,
);

const findEarlierRequest = statement(
  { isSameRequest: boolean, claim: uuid, response: nullable(bytea) },
  `SELECT fingerprint = $4 AS "isSameRequest", claim, answer AS response FROM idempotency_keys
   WHERE project_id = $1 AND route = $2 AND key_hash = $3`,
);

const renewRun = statement({}, `UPDATE idempotency_keys SET started_at = now() WHERE ${isActiveRun}`);

const saveRunResponse = statement(
  { claim: uuid },
  `UPDATE idempotency_keys SET answer = $5, customer_id = $6 WHERE ${isActiveRun} RETURNING claim`,
);

const releaseRun = statement({}, `DELETE FROM idempotency_keys WHERE ${isActiveRun}`);

const pruneResponses = pruneStatement('idempotency_keys', `started_at < now() - ${RETENTION}`);

/** Stores requests that must not be executed twice (contract, section 2, Idempotency-Key). */
export class IdempotencyKeysRepository {
  constructor(private readonly database: Database) {}

  /**
   * Claims a request, or returns the status of an earlier request with this key. A claim is immediately visible to all
   * processes.
   */
  async begin(request: IdempotentRequest, claim: string): Promise<IdempotencyStatus> {
    const { projectId, route, keyHash, fingerprint } = request;
    const values = [projectId, route, keyHash, fingerprint];
    const started = await this.database.execute(claimRequest, [...values, claim]);
    if (started.length > 0) return { state: 'started' };
    const [row] = await this.database.execute(findEarlierRequest, values);
    // The earlier request was released between the two statements. It counts as still running.
    if (!row) return { state: 'running' };
    if (!row.isSameRequest) return { state: 'other-request' };
    return row.response
      ? { state: 'finished', claim: row.claim, response: row.response }
      : { state: 'running' };
  }

  /** Records that a run is still active. */
  async renew(request: IdempotentRequest, claim: string): Promise<void> {
    await this.database.execute(renewRun, [request.projectId, request.route, request.keyHash, claim]);
  }

  /**
   * Stores a run's response. Returns false if another run has replaced it.
   * @param customerId the customer that the response is about; the response is removed when they are deleted
   */
  async saveResponse(
    tx: Tx,
    request: IdempotentRequest,
    claim: string,
    response: Buffer,
    customerId: string | null,
  ): Promise<boolean> {
    const rows = await tx.execute(saveRunResponse, [
      request.projectId,
      request.route,
      request.keyHash,
      claim,
      response,
      customerId,
    ]);
    return rows.length > 0;
  }

  /** Releases a run whose response must not be stored. */
  async release(request: IdempotentRequest, claim: string): Promise<void> {
    await this.database.execute(releaseRun, [request.projectId, request.route, request.keyHash, claim]);
  }

  /** Removes responses whose retention has ended. */
  async prune(signal: AbortSignal): Promise<void> {
    await pruneInBatches(this.database, signal, pruneResponses);
  }
}
