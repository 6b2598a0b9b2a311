import { unavailable, type GatehouseError } from '@gatehouse/domain';
import { errorCode, errorMessage } from '@gatehouse/platform';

/** Node's and PostgreSQL's codes for "not there", "not now" and "not in time". */
const unavailableCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  '40001', // serialization failure
  '40P01', // deadlock
  '53300', // too many connections
  '55P03', // lock timeout
  '57014', // statement timeout
  '57P01', // shutting down
  '57P02', // crash shutdown
  '57P03', // starting up
  '3D000', // the database does not exist yet
]);

/** What pg says without a code; "Query read timeout" when no answer came within `query_timeout`. */
const unavailableMessages =
  /timeout exceeded when trying to connect|Connection terminated|not queryable|Query read timeout/;

/** 503 `unavailable` when the fault says that the database is away or slow, else null. */
export function toUnavailableError(error: unknown): GatehouseError | null {
  const code = errorCode(error);
  const isAway =
    unavailableCodes.has(code) || code.startsWith('08') || unavailableMessages.test(errorMessage(error));
  return isAway ? unavailable({ cause: error }) : null;
}
