import type { AttemptError } from '@gatehouse/domain';
import { errorCode } from '@gatehouse/platform';

const tlsCodes =
  /^(ERR_TLS_|ERR_SSL_|CERT_|EPROTO$|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_IN_CHAIN$|UNABLE_TO_|HOSTNAME_MISMATCH$|INVALID_CA$|INVALID_PURPOSE$|PATH_LENGTH_EXCEEDED$|CRL_|ERROR_IN_)/;

const protocolCodes = /^(HPE_|ERR_INTERIM_RESPONSE$|ERR_MALFORMED_RESPONSE$)/;

/** Returns the attempt error, from a closed list, for an exception that a request threw. */
export function classifyAttemptError(error: unknown): AttemptError {
  const code = errorCode(error);
  if (code === 'ERR_REQUEST_TIMEOUT') return 'timeout';
  if (code === 'ERR_BLOCKED_ADDRESS') return 'blocked_address';
  if (code === 'ERR_NO_ADDRESS') return 'dns_error';
  if (tlsCodes.test(code)) return 'tls_error';
  if (protocolCodes.test(code)) return 'protocol_error';
  return 'connection_error';
}
