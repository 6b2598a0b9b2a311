import { BlockedAddressError, NoAddressError } from '@gatehouse/platform';
import { splitWords } from '../../../../test/support/split-words.js';
import { classifyAttemptError } from './classify-attempt-error.js';

const withCode = (code: unknown) => Object.assign(new Error('failed'), { code });

describe('classifyAttemptError', () => {
  it.each([
    ['timeout', 'ERR_REQUEST_TIMEOUT'],
    [
      'tls_error',
      `INVALID_CA INVALID_PURPOSE PATH_LENGTH_EXCEEDED CRL_HAS_EXPIRED ERROR_IN_CERT_NOT_AFTER_FIELD CERT_HAS_EXPIRED
       CERT_NOT_YET_VALID DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_VERIFY_LEAF_SIGNATURE
       UNABLE_TO_GET_ISSUER_CERT_LOCALLY ERR_TLS_CERT_ALTNAME_INVALID HOSTNAME_MISMATCH EPROTO
       ERR_SSL_WRONG_VERSION_NUMBER ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION`,
    ],
    [
      'protocol_error',
      'HPE_INVALID_CONSTANT HPE_HEADER_OVERFLOW ERR_INTERIM_RESPONSE ERR_MALFORMED_RESPONSE',
    ],
    ['connection_error', 'ECONNREFUSED ECONNRESET EHOSTUNREACH ENETUNREACH EPIPE ETIMEDOUT ERR_UNKNOWN'],
  ])('WH-11: returns %s for the codes %s', (expected, codes) => {
    expect(splitWords(codes).filter((code) => classifyAttemptError(withCode(code)) !== expected)).toEqual([]);
  });

  it('WH-11: returns dns_error for a name without an address, regardless of the cause', () => {
    for (const cause of [undefined, withCode('ECONNREFUSED'), withCode('ECANCELLED')])
      expect(classifyAttemptError(new NoAddressError('a.example', cause))).toBe('dns_error');
  });

  it('WH-02: returns blocked_address for a target that is not allowed', () => {
    expect(classifyAttemptError(new BlockedAddressError('169.254.169.254'))).toBe('blocked_address');
  });

  it('WH-11: returns connection_error for any other thrown value', () => {
    for (const thrown of [undefined, null, 'a string', new Error('no code'), withCode(42), withCode(null)])
      expect(classifyAttemptError(thrown)).toBe('connection_error');
  });
});
