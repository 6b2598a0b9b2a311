import { attemptErrors } from '#domain';
import { attemptFault } from './attempt-fault.js';
import { BlockedAddressError } from './blocked-address.error.js';
import { NoAddressError } from './no-address.error.js';

const withCode = (code: unknown) => Object.assign(new Error('failed'), { code });

describe('attemptFault', () => {
  it.each([
    ['ERR_CANCELED', 'timeout'],
    ['INVALID_CA', 'tls_error'],
    ['INVALID_PURPOSE', 'tls_error'],
    ['PATH_LENGTH_EXCEEDED', 'tls_error'],
    ['CRL_HAS_EXPIRED', 'tls_error'],
    ['ERROR_IN_CERT_NOT_AFTER_FIELD', 'tls_error'],
    ['CERT_HAS_EXPIRED', 'tls_error'],
    ['CERT_NOT_YET_VALID', 'tls_error'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls_error'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'tls_error'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls_error'],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'tls_error'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls_error'],
    ['HOSTNAME_MISMATCH', 'tls_error'],
    ['EPROTO', 'tls_error'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls_error'],
    ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'tls_error'],
    ['HPE_INVALID_CONSTANT', 'protocol_error'],
    ['HPE_HEADER_OVERFLOW', 'protocol_error'],
    ['ERR_INTERIM_ANSWER', 'protocol_error'],
    ['ECONNREFUSED', 'connection_error'],
    ['ECONNRESET', 'connection_error'],
    ['EHOSTUNREACH', 'connection_error'],
    ['ENETUNREACH', 'connection_error'],
    ['EPIPE', 'connection_error'],
    ['ETIMEDOUT', 'connection_error'],
    ['ERR_NEVER_HEARD_OF', 'connection_error'],
  ])('WH-11: %s is recorded as %s', (code, fault) => {
    expect(attemptFault(withCode(code))).toBe(fault);
  });

  it('WH-11: a name without an address is a dns_error, whatever its cause', () => {
    for (const cause of [undefined, withCode('ECONNREFUSED'), withCode('ECANCELLED')])
      expect(attemptFault(new NoAddressError('a.example', cause))).toBe('dns_error');
  });

  it('WH-02: an address that may not be reached is recorded as blocked_address', () => {
    expect(attemptFault(new BlockedAddressError('169.254.169.254'))).toBe('blocked_address');
  });

  it.each([[undefined], [null], ['a text'], [new Error('no code')], [withCode(42)], [withCode(null)]])(
    'WH-11: %p is recorded within the closed list',
    (thrown) => {
      expect(attemptErrors).toContain(attemptFault(thrown));
      expect(attemptFault(thrown)).toBe('connection_error');
    },
  );
});
