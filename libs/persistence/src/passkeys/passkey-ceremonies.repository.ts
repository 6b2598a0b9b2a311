// Raw SQL: a conditional delete that returns the row, and times from the database clock.
import { CEREMONY_TTL, type CeremonyPurpose } from '@gatehouse/domain';
import type { Database } from '../database/database.js';
import { pruneInBatches, pruneStatement } from '../database/prune.js';
import { statement, timestamptz } from '../sql/statements.js';

/** The context in which a challenge was created. Its response is accepted only in the same context. */
export interface PasskeyCeremony {
  purpose: CeremonyPurpose;
  /** Null for a sign-in, because its customer is not known yet. */
  customerId: string | null;
  /** Null outside a session. */
  sessionId: string | null;
  /** SHA-256 of the hosted page parameters or challenge token that the response is bound to; null if it is unbound. */
  bindingHash: Buffer | null;
}

const insertCeremony = statement(
  {},
  `INSERT INTO passkey_ceremonies (challenge_hash, project_id, purpose, customer_id, session_id, binding_hash, expires_at)
   VALUES ($1, $2, $3, $4, $5, $6, now() + interval '${CEREMONY_TTL} seconds')`,
);

const consumeCeremony = statement(
  { createdAt: timestamptz },
  `DELETE FROM passkey_ceremonies
   WHERE challenge_hash = $1 AND project_id = $2 AND purpose = $3 AND customer_id IS NOT DISTINCT FROM $4
     AND session_id IS NOT DISTINCT FROM $5 AND binding_hash IS NOT DISTINCT FROM $6 AND expires_at > now()
   RETURNING created_at AS "createdAt"`,
);

const pruneCeremonies = pruneStatement('passkey_ceremonies', 'expires_at <= now()');

/** Pending passkey challenges. */
export class PasskeyCeremoniesRepository {
  constructor(private readonly database: Database) {}

  async insert(projectId: string, challengeHash: Buffer, ceremony: PasskeyCeremony): Promise<void> {
    await this.database.execute(insertCeremony, toValues(projectId, challengeHash, ceremony));
  }

  /**
   * Consumes a challenge. If calls run in parallel, exactly one succeeds. A challenge for another purpose stays
   * valid.
   * @returns the challenge's creation time, or null if none matches
   */
  async consume(projectId: string, challengeHash: Buffer, ceremony: PasskeyCeremony): Promise<Date | null> {
    const [row] = await this.database.execute(consumeCeremony, toValues(projectId, challengeHash, ceremony));
    return row?.createdAt ?? null;
  }

  /** Removes expired challenges. */
  async prune(signal: AbortSignal): Promise<void> {
    await pruneInBatches(this.database, signal, pruneCeremonies);
  }
}

const toValues = (
  projectId: string,
  challengeHash: Buffer,
  { purpose, customerId, sessionId, bindingHash }: PasskeyCeremony,
): unknown[] => [challengeHash, projectId, purpose, customerId, sessionId, bindingHash];
