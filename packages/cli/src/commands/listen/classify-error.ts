/** The reason why a webhook was not accepted, with the delivery log's error codes (docs/webhooks.md). */
export interface SendError {
  code: 'http_error' | 'timeout' | 'connection_error' | 'tls_error' | 'dns_error' | 'protocol_error';
  message: string;
  /** True if no connection could be opened, so the receiver did not get the request. */
  isUnreachable: boolean;
}

const REFUSED = /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL)$/;
const NOT_FOUND = /^(ENOTFOUND|EAI_)/;
const UNTRUSTED = /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_)/;
const TLS =
  /^(ERR_TLS_|ERR_SSL_|CERT_|EPROTO$|HOSTNAME_MISMATCH$|INVALID_CA$|INVALID_PURPOSE$|CRL_|ERROR_IN_)/;

/** Returns the error for a request that ended without a response. */
export function classifyError(
  error: unknown,
  { target, isTimeout }: { target: URL; isTimeout: boolean },
): SendError {
  const { code = '', message = '' } = error as NodeJS.ErrnoException;
  const failed = (kind: SendError['code'], text: string, isUnreachable = false): SendError => ({
    code: kind,
    message: text,
    isUnreachable,
  });
  if (isTimeout) return failed('timeout', 'no response within 30 s');
  if (REFUSED.test(code))
    return failed('connection_error', `no server listens at ${target.host} (${code})`, true);
  if (NOT_FOUND.test(code))
    return failed('dns_error', `the host name ${target.hostname} cannot be resolved (${code})`, true);
  if (UNTRUSTED.test(code) || TLS.test(code)) return failed('tls_error', explainTls(code));
  if (code.startsWith('HPE_')) return failed('protocol_error', `the response is not HTTP (${code})`);
  return failed('connection_error', `the connection was closed without a response (${code || message})`);
}

function explainTls(code: string): string {
  if (UNTRUSTED.test(code))
    return `the certificate is not trusted (${code}). Set NODE_EXTRA_CA_CERTS to your CA's certificate file, or forward to http`;
  if (code === 'CERT_HAS_EXPIRED') return 'the certificate has expired. Renew it, or forward to http';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return 'the certificate was issued for another host name. Forward to a name that it contains, or to http';
  if (code === 'EPROTO' || code === 'ERR_SSL_WRONG_VERSION_NUMBER')
    return `the receiver does not speak TLS (${code}). Forward to http instead of https`;
  return `TLS failed (${code})`;
}
