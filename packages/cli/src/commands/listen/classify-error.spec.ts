import { classifyError } from './classify-error.js';

it('classifies errors as the delivery log does, and returns a fix for TLS errors', () => {
  const target = new URL('https://shop.test:4000/hook');
  const cases: [code: string, kind: string, isUnreachable: boolean, text: RegExp][] = [
    ['ECONNREFUSED', 'connection_error', true, /no server listens at shop\.test:4000/],
    ['ENOTFOUND', 'dns_error', true, /shop\.test cannot be resolved/],
    ['ECONNRESET', 'connection_error', false, /closed without a response/],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls_error', false, /not trusted .*NODE_EXTRA_CA_CERTS/],
    ['CERT_HAS_EXPIRED', 'tls_error', false, /has expired/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls_error', false, /another host name/],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls_error', false, /does not speak TLS .*http instead of https/],
    ['HPE_INVALID_CONSTANT', 'protocol_error', false, /not HTTP/],
  ];
  for (const [code, kind, isUnreachable, text] of cases)
    expect([
      code,
      classifyError(Object.assign(new Error('failed'), { code }), { target, isTimeout: false }),
    ]).toEqual([code, { code: kind, isUnreachable, message: expect.stringMatching(text) }]);
});
