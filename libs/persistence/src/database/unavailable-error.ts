import { unavailable, type GatehouseError } from '@gatehouse/domain';
import { errorCode, errorMessage } from '@gatehouse/platform';

/** PostgreSQL error code for a write to a read-only server, such as a standby. */
export const READ_ONLY = '25006';

/**
 * Error code classes (https://www.postgresql.org/docs/current/errcodes-appendix.html) of problems that resolve by
 * themselves: a broken connection, insufficient resources, and an operator's intervention, such as a shutdown or a
 * canceled statement.
 */
const OUTAGE_CLASSES = ['08', '53', '57'];

/** The error code class for a role that does not exist, may not connect, or has a different password. */
const AUTHORIZATION_CLASS = '28';

/** Further error codes from Node and PostgreSQL for an unreachable, busy, slow, missing or read-only database. */
const outageCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  READ_ONLY,
  '25P03', // the transaction was idle for too long
  '25P04', // the transaction took too long
  '40001', // serialization failure
  '40P01', // deadlock
  '55P03', // lock timeout
  '58030', // I/O error
  '3D000', // the database does not exist yet
]);

/**
 * Messages of pg errors without a code: "Query read timeout" if no response arrived within `query_timeout`, "timeout
 * expired" if connecting took too long.
 */
const outageMessages =
  /timeout exceeded when trying to connect|timeout expired|Connection terminated|not queryable|Query read timeout/;

/** Errors that made a connection attempt fail. */
const connectionErrors = new WeakSet<object>();

/** Marks an error that made a connection attempt fail, such as an expired certificate. No request caused it. */
export function markConnectionError(error: unknown): void {
  if (error instanceof Error) connectionErrors.add(error);
}

/**
 * Returns whether the error means that the database is unavailable, slow or read-only. At startup, a process waits for
 * an outage to end, but fails after other errors, such as a wrong password.
 */
export function isOutage(error: unknown): boolean {
  const code = errorCode(error);
  return (
    outageCodes.has(code) ||
    (isSqlState(code) && OUTAGE_CLASSES.includes(code.slice(0, 2))) ||
    outageMessages.test(errorMessage(error))
  );
}

/**
 * Returns 503 `unavailable` if the error means that the database cannot be used, otherwise null. Unlike at startup,
 * this includes a rejected role or password that was valid before.
 */
export function toUnavailableError(error: unknown): GatehouseError | null {
  const isUnavailable =
    isOutage(error) ||
    errorCode(error).startsWith(AUTHORIZATION_CLASS) ||
    (error instanceof Error && connectionErrors.has(error));
  return isUnavailable ? unavailable({ cause: error }) : null;
}

const isSqlState = (code: string): boolean => /^[0-9A-Z]{5}$/.test(code);
