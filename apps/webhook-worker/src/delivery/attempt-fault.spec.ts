import { words } from '../../../../test/support/words.js';
import { attemptFault } from './attempt-fault.js';
import { BlockedAddressError } from './blocked-address.error.js';
import { NoAddressError } from './no-address.error.js';

const withCode = (code: unknown) => Object.assign(new Error('failed'), { code });

describe('attemptFault', () => {
  it.each([
    ['timeout', 'ERR_CANCELED'],
    [
      'tls_error',
      `INVALID_CA INVALID_PURPOSE PATH_LENGTH_EXCEEDED CRL_HAS_EXPIRED ERROR_IN_CERT_NOT_AFTER_FIELD CERT_HAS_EXPIRED
       CERT_NOT_YET_VALID DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_VERIFY_LEAF_SIGNATURE
       UNABLE_TO_GET_ISSUER_CERT_LOCALLY ERR_TLS_CERT_ALTNAME_INVALID HOSTNAME_MISMATCH EPROTO
       ERR_SSL_WRONG_VERSION_NUMBER ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION`,
    ],
    ['protocol_error', 'HPE_INVALID_CONSTANT HPE_HEADER_OVERFLOW ERR_INTERIM_ANSWER'],
    [
      'connection_error',
      'ECONNREFUSED ECONNRESET EHOSTUNREACH ENETUNREACH EPIPE ETIMEDOUT ERR_NEVER_HEARD_OF',
    ],
  ])('WH-11: records as %s what has the code %s', (fault, codes) => {
    expect(words(codes).filter((code) => attemptFault(withCode(code)) !== fault)).toEqual([]);
  });

  it('WH-11: a name without an address is a dns_error, whatever its cause', () => {
    for (const cause of [undefined, withCode('ECONNREFUSED'), withCode('ECANCELLED')])
      expect(attemptFault(new NoAddressError('a.example', cause))).toBe('dns_error');
  });

  it('WH-02: an address that may not be reached is recorded as blocked_address', () => {
    expect(attemptFault(new BlockedAddressError('169.254.169.254'))).toBe('blocked_address');
  });

  it('WH-11: anything else that is thrown is recorded as connection_error', () => {
    for (const thrown of [undefined, null, 'a text', new Error('no code'), withCode(42), withCode(null)])
      expect(attemptFault(thrown)).toBe('connection_error');
  });
});
