// Raw SQL: upserts and conditional updates in one statement, and times from the database clock.
import { MAX_CODE_GUESSES, type Customer, type ProjectContext } from '@gatehouse/domain';
import type { Database } from '../database/database.js';
import { pruneInBatches, pruneStatement } from '../database/prune.js';
import type { Tx } from '../database/transactions.js';
import { AttemptCounter, limitValues, type AttemptLimit } from '../failed-attempts/attempt-counter.js';
import {
  attemptResultRow,
  KNOWN_ADDRESS_SINCE,
  type LoginAllowance,
} from '../failed-attempts/login-allowance.js';
import { projectColumns, projectRow, toProjectContext } from '../projects/projects.repository.js';
import {
  boolean,
  bytea,
  neverNull,
  nullable,
  statement,
  text,
  timestamptz,
  type RowOf,
} from '../sql/statements.js';
import { currentCount, exceedsGuessLimitSql } from './guesses-sql.js';
import { unknownToPlanner } from '../sql/unknown-to-planner.js';

/**
 * Maximum number of open codes for each email address and network. A newer code voids the oldest one.
 * Requests from another network do not void it, so that a stranger cannot void the owner's code.
 */
const MAX_OPEN_CODES = 3;

/** The link destination in an email, and the client that may complete the sign-in there. */
export interface LinkTarget {
  redirectUrl: string;
  /** The client verifier's SHA-256 hash, in base64url (RFC 7636, S256). */
  codeChallenge: string;
}

export interface NewEmailCode {
  /** The challenge token's SHA-256 hash. */
  tokenHash: Buffer;
  projectId: string;
  email: string;
  /** The code's keyed hash. Null if no email is sent, so that no code is correct. */
  codeHash: Buffer | null;
  /** Address block of the client that requests the code, or null if unknown. */
  addressBlock: string | null;
  /** The hosted page flow that the code is bound to. Null if the code is requested through the API. */
  flowHash: Buffer | null;
  isShort: boolean;
  /** The link in the same email, or null. */
  link: (LinkTarget & { hash: Buffer }) | null;
  /** Lifetime in seconds. */
  ttl: number;
}

/** A guess at a challenge token's code, and the limit on wrong guesses. */
export interface EmailCodeGuess extends AttemptLimit {
  projectId: string;
  tokenHash: Buffer;
  /** The hosted page flow that sends the guess. Null for the API. */
  flowHash: Buffer | null;
  /** Keyed hashes of the guess. It is correct if one of them matches. */
  codeHashes: Buffer[];
  /** The client's address block, or null if unknown. */
  addressBlock: string | null;
}

const guessRow = {
  ...attemptResultRow,
  email: text,
  createdAt: timestamptz,
  /** False if the guess is wrong or was not evaluated. */
  isCorrect: boolean,
};

export type EmailCodeGuessResult = RowOf<typeof guessRow>;

/** The link in an email that contains a code. */
export interface EmailLink {
  email: string;
  target: LinkTarget;
  createdAt: Date;
  /** False if the link or the code was used, or if both are void. */
  isOpen: boolean;
  /** `locale` is null if no customer has the email address. */
  customer: Pick<Customer, 'locale'>;
  project: ProjectContext;
}

const insertCode = statement(
  {},
  `INSERT INTO email_codes
     (token_hash, project_id, email, code_hash, is_short, expires_at, link_hash, redirect_url, code_challenge,
      address_block, flow_hash)
   VALUES ($1, $2, $3, $4, $5, now() + $6 * interval '1 second', $7, $8, $9, $10, $11)`,
);

const findLimitExceeded = statement(
  { exceeded: boolean },
  `SELECT ${exceedsGuessLimitSql('$1')} AS "exceeded"`,
);

const isKnownAddress = `EXISTS (
  SELECT FROM code JOIN customers c ON c.email = code.email
    JOIN customer_addresses known ON known.customer_id = c.id
  WHERE c.project_id = ${unknownToPlanner('$4')} AND known.address_block = $6 AND known.last_login_at > ${KNOWN_ADDRESS_SINCE})`;

const counter = new AttemptCounter('email_code_attempts', ['project_id', 'email_hash']);

const countAttempt = counter.countSql({
  key: `$4, sha256(convert_to(email, 'UTF8'))`,
  from: 'FROM code',
  isKnownAddress,
});

/**
 * SQL for the condition that newer codes have not voided the code `t`: its network has since requested fewer codes
 * than the maximum for the same email address.
 */
const isRecent = `(
  SELECT count(*) FROM email_codes newer
  WHERE newer.project_id = t.project_id AND newer.email = t.email AND newer.code_hash IS NOT NULL
    AND newer.address_block IS NOT DISTINCT FROM t.address_block
    AND (newer.created_at, newer.token_hash) > (t.created_at, t.token_hash)) < ${MAX_OPEN_CODES}`;

/** SQL for the condition that the link in the email of a code `t` can be used. */
const isLinkOpen = `(t.consumed_at IS NULL AND t.guesses < ${MAX_CODE_GUESSES} AND t.expires_at > now() AND ${isRecent})`;

/** Counts every guess, even at a void code. Otherwise, the count would reveal whether an email was sent. */
const guessCode = statement(
  guessRow,
  `WITH code AS (
     SELECT t.email, t.created_at, NOT (t.is_short AND ${exceedsGuessLimitSql('$4')}) AND ${isRecent} AS is_open
     FROM email_codes t
     WHERE t.token_hash = $5 AND t.project_id = $4 AND t.flow_hash IS NOT DISTINCT FROM $8 AND t.expires_at > now()
   ), attempt AS (${countAttempt}
   ), evaluated AS (
     UPDATE email_codes t SET guesses = t.guesses + 1 FROM code, attempt
     WHERE t.token_hash = $5 AND attempt.granted IS NOT NULL
       AND t.guesses < ${MAX_CODE_GUESSES} AND t.consumed_at IS NULL
     RETURNING (code.is_open AND t.code_hash = ANY ($7)) IS TRUE AS is_correct
   ), counted AS (
     INSERT INTO email_code_guesses AS g (project_id, began_at, guesses)
     SELECT $4, ${currentCount}, 1 FROM attempt
     WHERE granted IS NOT NULL AND NOT EXISTS (SELECT FROM evaluated WHERE is_correct)
     ON CONFLICT (project_id, began_at) DO UPDATE SET guesses = g.guesses + 1
   )
   SELECT attempt.*, code.email, code.created_at AS "createdAt",
     EXISTS (SELECT FROM evaluated WHERE is_correct) AS "isCorrect"
   FROM attempt, code`,
);

const lockAttempts = statement(
  { emailHash: bytea },
  `SELECT email_hash AS "emailHash" FROM email_code_attempts WHERE project_id = $1 AND email_hash = $2 FOR UPDATE`,
);

const consumeCode = statement(
  { tokenHash: bytea },
  `UPDATE email_codes SET consumed_at = now() WHERE token_hash = $1 AND consumed_at IS NULL
   RETURNING token_hash AS "tokenHash"`,
);

const linkRow = {
  email: text,
  redirectUrl: neverNull(text),
  codeChallenge: neverNull(text),
  createdAt: timestamptz,
  isOpen: boolean,
  locale: nullable(text),
  ...projectRow,
};

const findLink = statement(
  linkRow,
  `SELECT t.email, t.redirect_url AS "redirectUrl", t.code_challenge AS "codeChallenge", t.created_at AS "createdAt",
     ${isLinkOpen} AS "isOpen", c.locale, ${projectColumns}
   FROM email_codes t JOIN projects p ON p.id = t.project_id JOIN organizations o ON o.id = p.organization_id
     LEFT JOIN customers c ON c.project_id = t.project_id AND c.email = t.email
   WHERE t.link_hash = $1 AND p.archived_at IS NULL`,
);

const consumeLink = statement(
  { tokenHash: bytea },
  `UPDATE email_codes t SET consumed_at = now() WHERE t.link_hash = $1 AND ${isLinkOpen}
   RETURNING t.token_hash AS "tokenHash"`,
);

const deleteCodes = statement({}, 'DELETE FROM email_codes WHERE project_id = $1 AND email = $2');

const pruneCodes = pruneStatement('email_codes', 'expires_at <= now()');
const pruneGuesses = pruneStatement('email_code_guesses', `began_at < now() - interval '1 hour'`);

/**
 * Stores email codes, and counts the guesses at them. To prevent deadlocks, every transaction locks the customer
 * first, then the attempts for the email address, and then its codes.
 */
export class EmailCodesRepository {
  constructor(private readonly database: Database) {}

  async insert(tx: Tx, code: NewEmailCode): Promise<void> {
    const { tokenHash, projectId, email, codeHash, isShort, link, ttl, addressBlock, flowHash } = code;
    await tx.execute(insertCode, [
      tokenHash,
      projectId,
      email,
      codeHash,
      isShort,
      ttl,
      link?.hash ?? null,
      link?.redirectUrl ?? null,
      link?.codeChallenge ?? null,
      addressBlock,
      flowHash,
    ]);
  }

  /** Returns whether a project has so many wrong guesses that its codes must be longer. */
  async exceedsGuessLimit(projectId: string): Promise<boolean> {
    const [row] = await this.database.execute(findLimitExceeded, [projectId]);
    return row!.exceeded;
  }

  /**
   * Counts and evaluates a guess in one statement. The statement locks the counter of the email address, so that
   * concurrent guesses never exceed a limit. Guesses for addresses that received no email are counted in the same
   * way.
   * @returns null if the project has no such challenge token, or the token has expired
   */
  async guess(guess: EmailCodeGuess): Promise<EmailCodeGuessResult | null> {
    const [row] = await this.database.execute(guessCode, [
      ...limitValues(guess),
      guess.projectId,
      guess.tokenHash,
      guess.addressBlock,
      guess.codeHashes,
      guess.flowHash,
    ]);
    return row ?? null;
  }

  /** Releases the attempt of a correct code that did not open a session. */
  async release(projectId: string, emailHash: Buffer, granted: LoginAllowance, tx?: Tx): Promise<void> {
    await counter.release(tx ?? this.database, [projectId, emailHash], granted);
  }

  /** Locks the wrong guesses for an email address. The caller must have locked the customer. */
  async lockAttempts(tx: Tx, projectId: string, emailHash: Buffer): Promise<void> {
    await tx.execute(lockAttempts, [projectId, emailHash]);
  }

  /**
   * Consumes a code that was guessed correctly. Only one of several concurrent calls returns true. The caller must
   * have locked the attempts for the email address.
   */
  async consume(tx: Tx, tokenHash: Buffer): Promise<boolean> {
    const rows = await tx.execute(consumeCode, [tokenHash]);
    return rows.length > 0;
  }

  /** Returns a link without consuming it. Null if it does not exist or its project is archived. */
  async findLink(linkHash: Buffer): Promise<EmailLink | null> {
    const [row] = await this.database.execute(findLink, [linkHash]);
    if (!row) return null;
    const { email, redirectUrl, codeChallenge, createdAt, isOpen, locale, ...project } = row;
    return {
      email,
      target: { redirectUrl, codeChallenge },
      createdAt,
      isOpen,
      customer: { locale },
      project: toProjectContext(project),
    };
  }

  /**
   * Consumes a link together with its code. Only one of several concurrent calls returns true, including calls that
   * consume the code.
   */
  async consumeLink(tx: Tx, linkHash: Buffer): Promise<boolean> {
    const rows = await tx.execute(consumeLink, [linkHash]);
    return rows.length > 0;
  }

  /** Deletes all codes for an email address. The caller must have locked the customer, if one has the address. */
  async deleteCodes(tx: Tx, projectId: string, email: string): Promise<void> {
    await tx.execute(deleteCodes, [projectId, email]);
  }

  /** Deletes all codes and attempts for an email address. The caller must have locked the customer. */
  async deleteCodesAndAttempts(tx: Tx, projectId: string, email: string, emailHash: Buffer): Promise<void> {
    await counter.clear(tx, [projectId, emailHash]);
    await this.deleteCodes(tx, projectId, email);
  }

  /** Removes expired codes, and guesses that are no longer counted. */
  async prune(signal: AbortSignal): Promise<void> {
    await counter.prune(this.database, signal);
    for (const batch of [pruneCodes, pruneGuesses]) await pruneInBatches(this.database, signal, batch);
  }
}
