// This file contains SQL: a conditional delete that returns the row, and times by the clock of the database.
import { CEREMONY_TTL, type CeremonyPurpose } from '@gatehouse/domain';
import type { Database } from '../database.js';
import { pruneInBatches, pruneStatement } from '../prune.js';
import { bytea, statement } from '../statements.js';

/** The purpose of a challenge. A response is accepted for this only. */
export interface PasskeyCeremony {
  purpose: CeremonyPurpose;
  /** null for a sign-in, whose customer is not yet known. */
  customerId: string | null;
  /** null outside a session. */
  sessionId: string | null;
}

const insertCeremony = statement(
  {},
  `INSERT INTO passkey_ceremonies (challenge_hash, project_id, purpose, customer_id, session_id, expires_at)
   VALUES ($1, $2, $3, $4, $5, now() + interval '${CEREMONY_TTL} seconds')`,
);

const consumeCeremony = statement(
  { challengeHash: bytea },
  `DELETE FROM passkey_ceremonies
   WHERE challenge_hash = $1 AND project_id = $2 AND purpose = $3 AND customer_id IS NOT DISTINCT FROM $4
     AND session_id IS NOT DISTINCT FROM $5 AND expires_at > now() RETURNING challenge_hash AS "challengeHash"`,
);

const pruneCeremonies = pruneStatement('passkey_ceremonies', 'expires_at <= now()');

/** The challenges that passkeys have yet to sign. */
export class PasskeyCeremoniesRepository {
  constructor(private readonly database: Database) {}

  async insert(
    projectId: string,
    challengeHash: Buffer,
    { purpose, customerId, sessionId }: PasskeyCeremony,
  ): Promise<void> {
    await this.database.execute(insertCeremony, [challengeHash, projectId, purpose, customerId, sessionId]);
  }

  /**
   * Consumes a challenge. Of several parallel calls one returns true. A challenge that was created for something else
   * stays valid for that.
   */
  async consume(
    projectId: string,
    challengeHash: Buffer,
    { purpose, customerId, sessionId }: PasskeyCeremony,
  ): Promise<boolean> {
    const values = [challengeHash, projectId, purpose, customerId, sessionId];
    const rows = await this.database.execute(consumeCeremony, values);
    return rows.length > 0;
  }

  /** Removes expired challenges. */
  async prune(signal: AbortSignal): Promise<void> {
    await pruneInBatches(this.database, signal, pruneCeremonies);
  }
}
