import type { AttemptError } from '#domain';
import { errorCode } from '#platform';

/** Codes of getaddrinfo (EAI_…) stand apart; these are those of c-ares. */
const dnsCodes =
  /^(ENOTFOUND|ENODATA|ESERVFAIL|EREFUSED|ETIMEOUT|EBADNAME|EFORMERR|ENOTIMP|EBADRESP|EBADQUERY|EAI_.*)$/;

const tlsCodes =
  /^(ERR_TLS_|ERR_SSL_|CERT_|EPROTO$|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_IN_CHAIN$|UNABLE_TO_|HOSTNAME_MISMATCH$|INVALID_CA$|INVALID_PURPOSE$|PATH_LENGTH_EXCEEDED$|CRL_|ERROR_IN_)/;

/** Which of the closed list of errors a failed request is. */
export function attemptFault(error: unknown): AttemptError {
  const code = errorCode(error);
  if (code === 'ERR_CANCELED') return 'timeout';
  if (code === 'ERR_BLOCKED_ADDRESS') return 'blocked_address';
  if (dnsCodes.test(code) || isDnsQuery(error)) return 'dns_error';
  if (tlsCodes.test(code)) return 'tls_error';
  if (code.startsWith('HPE_') || code === 'ERR_INVALID_URL') return 'protocol_error';
  return 'connection_error';
}

/** A name server that refuses connections looks like a target that does, but for the system call. */
const isDnsQuery = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'syscall' in error &&
  typeof error.syscall === 'string' &&
  error.syscall.startsWith('query');
