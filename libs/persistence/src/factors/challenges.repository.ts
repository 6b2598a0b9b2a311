// Raw SQL: conditional updates that return rows, and times from the database clock.
import type { AuthenticationMethod, ChallengeKind, ProviderProfile } from '@gatehouse/domain';
import { issuedAtFor } from '../customers/access-revocation-sql.js';
import type { Database } from '../database/database.js';
import { pruneInBatches, pruneStatement } from '../database/prune.js';
import type { Tx } from '../database/transactions.js';
import {
  arrayOf,
  bytea,
  jsonb,
  nullable,
  statement,
  textOf,
  timestamptz,
  uuid,
  type RowOf,
} from '../sql/statements.js';
import { ChallengeEntity } from './challenge.entity.js';

const challengeRow = {
  tokenHash: bytea,
  customerId: uuid,
  kind: textOf<ChallengeKind>(),
  amr: arrayOf(textOf<AuthenticationMethod>()),
  providerId: nullable(uuid),
  /** The identity to link to the customer when the challenge is completed, or null. */
  newIdentity: nullable(jsonb<ProviderProfile>()),
  totpSecret: nullable(bytea),
  /** The hosted page flow that the challenge is bound to. Null for an API challenge. */
  flowHash: nullable(bytea),
  expiresAt: timestamptz,
  createdAt: timestamptz,
};

const challengeColumns = `
  ch.token_hash AS "tokenHash", ch.customer_id AS "customerId", ch.kind, ch.amr, ch.provider_id AS "providerId",
  ch.new_identity AS "newIdentity", ch.totp_secret AS "totpSecret", ch.flow_hash AS "flowHash", ch.expires_at AS "expiresAt", ch.created_at AS "createdAt"`;

/** A sign-in that still requires a second factor. */
export type Challenge = RowOf<typeof challengeRow>;

/** Maximum number of attempts per challenge. */
const MAX_ATTEMPTS = 5;
/** Maximum number of open challenges per customer. */
const MAX_OPEN = 3;

const insertChallenge = statement(
  { expiresAt: timestamptz },
  `WITH voided AS (
     DELETE FROM challenges WHERE token_hash IN (
       SELECT token_hash FROM challenges WHERE customer_id = $2 ORDER BY created_at DESC, token_hash
       OFFSET ${MAX_OPEN - 1})
   )
   INSERT INTO challenges (token_hash, customer_id, kind, amr, provider_id, new_identity, flow_hash, expires_at, created_at)
   VALUES ($1, $2, $3, $4, $6, $7, $8, now() + $5 * interval '1 second', ${issuedAtFor('$2')})
   RETURNING expires_at AS "expiresAt"`,
);

const isOpen = `ch.expires_at > now() AND ch.tries < ${MAX_ATTEMPTS}`;

const findChallenge = statement(
  challengeRow,
  `SELECT ${challengeColumns} FROM challenges ch JOIN customers c ON c.id = ch.customer_id
   WHERE ch.token_hash = $1 AND c.project_id = $2 AND ch.flow_hash IS NOT DISTINCT FROM $3 AND ${isOpen}`,
);

const countAttempt = statement(
  { tokenHash: bytea },
  `UPDATE challenges ch SET tries = tries + 1 WHERE ch.token_hash = $1 AND ${isOpen}
   RETURNING ch.token_hash AS "tokenHash"`,
);

const saveSecret = statement(
  { tokenHash: bytea },
  `UPDATE challenges ch SET totp_secret = $2 WHERE ch.token_hash = $1 AND ch.kind = 'enroll_factor' AND ${isOpen}
   RETURNING ch.token_hash AS "tokenHash"`,
);

// The attempt that completes the challenge is already counted.
const consumeChallenge = statement(
  challengeRow,
  `DELETE FROM challenges ch WHERE ch.token_hash = $1 AND ch.expires_at > now() RETURNING ${challengeColumns}`,
);

const pruneChallenges = pruneStatement('challenges', 'expires_at <= now()');

/** Stores customer sign-ins that still require a second factor. */
export class ChallengesRepository {
  constructor(private readonly database: Database) {}

  /**
   * Inserts a challenge for a customer that the transaction has locked, and voids the oldest challenges beyond the
   * maximum.
   * @param challenge `ttl` in seconds
   * @returns the time at which it expires
   */
  async insert(
    tx: Tx,
    challenge: Omit<Challenge, 'totpSecret' | 'expiresAt' | 'createdAt'> & { ttl: number },
  ): Promise<Date> {
    const { tokenHash, customerId, kind, amr, ttl, providerId, flowHash } = challenge;
    const newIdentity = challenge.newIdentity && JSON.stringify(challenge.newIdentity);
    const values = [tokenHash, customerId, kind, amr, ttl, providerId, newIdentity, flowHash];
    const [row] = await tx.execute(insertChallenge, values);
    return row!.expiresAt;
  }

  /**
   * Returns a customer's open challenge in the project, or null.
   * @param flowHash the hosted page flow that it is bound to; null for an API challenge
   */
  async find(projectId: string, tokenHash: Buffer, flowHash: Buffer | null): Promise<Challenge | null> {
    const [row] = await this.database.execute(findChallenge, [tokenHash, projectId, flowHash]);
    return row ?? null;
  }

  /**
   * Counts an attempt before it is verified, in a separate statement, so that a rollback of the request does not undo
   * it. Returns false if the challenge accepts no more attempts.
   */
  async countAttempt(tokenHash: Buffer): Promise<boolean> {
    const rows = await this.database.execute(countAttempt, [tokenHash]);
    return rows.length > 0;
  }

  /** Saves an enrollment's encrypted secret. Returns false if the challenge is not an open enrollment. */
  async saveSecret(tokenHash: Buffer, secret: Buffer): Promise<boolean> {
    const rows = await this.database.execute(saveSecret, [tokenHash, secret]);
    return rows.length > 0;
  }

  /**
   * Consumes a challenge whose attempt was counted. Only one of several concurrent calls succeeds. The caller has
   * locked the customer.
   */
  async consume(tx: Tx, tokenHash: Buffer): Promise<Challenge | null> {
    const [row] = await tx.execute(consumeChallenge, [tokenHash]);
    return row ?? null;
  }

  /**
   * Voids a customer's open challenges. To prevent deadlocks, the caller does so before it changes sessions, as a
   * sign-in does.
   */
  async voidAll(tx: Tx, customerId: string): Promise<void> {
    await tx.manager.delete(ChallengeEntity, { customerId });
  }

  /** Removes expired challenges. */
  async prune(signal: AbortSignal): Promise<void> {
    await pruneInBatches(this.database, signal, pruneChallenges);
  }
}
