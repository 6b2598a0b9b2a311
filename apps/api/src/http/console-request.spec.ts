import { assertFromConsole } from './console-request.js';
import type { GatehouseRequest } from './request-context.js';

const header = { 'x-gatehouse-console': '1' };
const check =
  (method: string, headers: Record<string, string>, publicUrl = 'https://auth.example.com') =>
  () =>
    assertFromConsole(
      { method, headers: { host: 'console.internal:8443', ...headers } } as unknown as GatehouseRequest,
      publicUrl,
    );
const rejection = expect.objectContaining({ code: 'cross_site_request', status: 403 });

describe('CO-04: assertFromConsole', () => {
  it.each<[string, Record<string, string>]>([
    ['with only the header, as programs send it', {}],
    ['from a page of PUBLIC_URL', { origin: 'https://auth.example.com', 'sec-fetch-site': 'same-origin' }],
    ['from a page of the requested host', { origin: 'https://console.internal:8443' }],
  ])('accepts a change %s', (_, headers) => {
    for (const method of ['POST', 'PATCH', 'PUT', 'DELETE'])
      expect(check(method, { ...header, ...headers })).not.toThrow();
  });

  it.each<[string, Record<string, string>]>([
    ['without the header', { 'x-gatehouse-console': '' }],
    ['with another value of the header', { 'x-gatehouse-console': '2' }],
    ['from another site', { 'sec-fetch-site': 'cross-site' }],
    ['from another origin of the same site', { 'sec-fetch-site': 'same-site' }],
    ['with Sec-Fetch-Site: none', { 'sec-fetch-site': 'none' }],
    ['from another origin', { origin: 'https://evil.example' }],
    ['from another port', { origin: 'https://console.internal' }],
    ['from the same host over plain http', { origin: 'http://auth.example.com' }],
    ['from the requested host over plain http', { origin: 'http://console.internal:8443' }],
    ['from the origin null', { origin: 'null' }],
    [
      'with same-origin fetch metadata but another origin',
      { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
    ],
  ])('rejects a change %s', (_, headers) => {
    for (const method of ['POST', 'PATCH', 'PUT', 'DELETE'])
      expect(check(method, { ...header, ...headers })).toThrow(rejection);
  });

  it('accepts the requested host over plain http if PUBLIC_URL does not use https', () => {
    const headers = { ...header, origin: 'http://console.internal:8443' };
    expect(check('POST', headers, 'http://127.0.0.1:3000')).not.toThrow();
    expect(check('POST', { ...headers, origin: 'http://evil.example' }, 'http://127.0.0.1:3000')).toThrow(
      rejection,
    );
  });

  it.each(['GET', 'HEAD'])('accepts %s from any origin', (method) => {
    expect(check(method, { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' })).not.toThrow();
  });
});
