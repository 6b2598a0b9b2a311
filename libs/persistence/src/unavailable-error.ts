import { unavailable, type GatehouseError } from '@gatehouse/domain';
import { errorCode, errorMessage } from '@gatehouse/platform';

/** Error code of PostgreSQL for a write on a server that accepts only reads, such as a standby. */
export const READ_ONLY = '25006';

/** Error codes of Node and PostgreSQL for an unreachable, busy, slow, full or read-only database. */
const unavailableCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  READ_ONLY,
  '40001', // serialization failure
  '40P01', // deadlock
  '53100', // disk full
  '53200', // out of memory
  '53300', // too many connections
  '55P03', // lock timeout
  '57014', // statement timeout
  '57P01', // shutting down
  '57P02', // crash shutdown
  '57P03', // starting up
  '58030', // I/O error
  '3D000', // the database does not exist yet
]);

/**
 * Messages of pg errors without a code; "Query read timeout" if no response arrived within `query_timeout`, "timeout expired" if
 * a connection took too long.
 */
const unavailableMessages =
  /timeout exceeded when trying to connect|timeout expired|Connection terminated|not queryable|Query read timeout/;

/** Returns 503 `unavailable` if the error means that the database is unavailable, slow or read-only, otherwise null. */
export function toUnavailableError(error: unknown): GatehouseError | null {
  const code = errorCode(error);
  const isUnavailable =
    unavailableCodes.has(code) || code.startsWith('08') || unavailableMessages.test(errorMessage(error));
  return isUnavailable ? unavailable({ cause: error }) : null;
}
