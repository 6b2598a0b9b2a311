import { assertFromConsole } from './console-request.js';
import type { GatehouseRequest } from './request-context.js';

const header = { 'x-gatehouse-console': '1' };
const ask =
  (method: string, headers: Record<string, string>, publicUrl = 'https://auth.example.com') =>
  () =>
    assertFromConsole(
      { method, headers: { host: 'console.internal:8443', ...headers } } as unknown as GatehouseRequest,
      publicUrl,
    );
const refusal = expect.objectContaining({ code: 'cross_site_request', status: 403 });

describe('CO-04: a change', () => {
  it.each<[string, Record<string, string>]>([
    ['with the header alone, as a program sends it', {}],
    ['of a page of PUBLIC_URL', { origin: 'https://auth.example.com', 'sec-fetch-site': 'same-origin' }],
    ['of a page of the host that was asked', { origin: 'https://console.internal:8443' }],
  ])('passes %s', (_, headers) => {
    for (const method of ['POST', 'PATCH', 'PUT', 'DELETE'])
      expect(ask(method, { ...header, ...headers })).not.toThrow();
  });

  it.each<[string, Record<string, string>]>([
    ['without the header', { 'x-gatehouse-console': '' }],
    ['with another value of it', { 'x-gatehouse-console': '2' }],
    ['of another site', { 'sec-fetch-site': 'cross-site' }],
    ['of a sibling of the site', { 'sec-fetch-site': 'same-site' }],
    ['that somebody typed', { 'sec-fetch-site': 'none' }],
    ['of another origin', { origin: 'https://evil.example' }],
    ['of another port', { origin: 'https://console.internal' }],
    ['of the same name by plain http', { origin: 'http://auth.example.com' }],
    ['of the host that was asked by plain http', { origin: 'http://console.internal:8443' }],
    ['of no origin', { origin: 'null' }],
    [
      'whose fetch metadata are right and whose origin is not',
      { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
    ],
  ])('is refused %s', (_, headers) => {
    for (const method of ['POST', 'PATCH', 'PUT', 'DELETE'])
      expect(ask(method, { ...header, ...headers })).toThrow(refusal);
  });

  it('passes from a page of the host that was asked by plain http, where the house itself has no https', () => {
    const headers = { ...header, origin: 'http://console.internal:8443' };
    expect(ask('POST', headers, 'http://127.0.0.1:3000')).not.toThrow();
    expect(ask('POST', { ...headers, origin: 'http://evil.example' }, 'http://127.0.0.1:3000')).toThrow(
      refusal,
    );
  });

  it.each(['GET', 'HEAD'])('and %s changes nothing, so it passes from anywhere', (method) => {
    expect(ask(method, { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' })).not.toThrow();
  });
});
