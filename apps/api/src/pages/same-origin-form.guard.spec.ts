import type { GatehouseRequest } from '../http/request-context.js';
import { assertSameOriginForm } from './same-origin-form.guard.js';

const PRODUCTION = { publicUrl: 'https://auth.example.com/base', production: true };
const DEVELOPMENT = { publicUrl: 'http://127.0.0.1:3000', production: false };

type Headers = { host: string; origin?: string; 'sec-fetch-site'?: string };

const isAccepted = (headers: Headers, settings = PRODUCTION, method = 'POST'): boolean => {
  try {
    assertSameOriginForm({ method, headers } as unknown as GatehouseRequest, settings);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'origin_not_allowed', status: 403 });
    return false;
  }
};

/** Returns the origins from which forms are accepted. */
const accepted = (origins: (string | undefined)[], others: Omit<Headers, 'origin'>, settings = PRODUCTION) =>
  origins.filter((origin) => isAccepted({ ...others, ...(origin !== undefined && { origin }) }, settings));

const OWN = 'https://auth.example.com';
const HOST = 'auth.example.com';

describe('assertSameOriginForm', () => {
  const otherOrigins = [
    'http://auth.example.com',
    'https://auth.example.com:8443',
    'https://auth.example.com/',
    'https://AUTH.example.com',
    'https://www.auth.example.com',
    'https://auth.example.com.evil.example',
    'https://evil.example',
    'https://localhost',
    '',
  ];

  it('accepts the PUBLIC_URL origin, and requests without an origin', () => {
    const origins = [undefined, OWN, 'null', ...otherOrigins];
    expect(accepted(origins, { host: HOST })).toEqual([undefined, OWN]);
    for (const site of ['same-site', 'cross-site', 'none', ''])
      expect(accepted(origins, { host: HOST, 'sec-fetch-site': site })).toEqual([]);
  });

  it('accepts the origin null (from pages of older versions) only with Sec-Fetch-Site: same-origin', () => {
    const origins = [undefined, OWN, 'null', ...otherOrigins];
    const others = { host: HOST, 'sec-fetch-site': 'same-origin' };
    expect(accepted(origins, others)).toEqual([undefined, OWN, 'null']);
  });

  it('rejects every other origin in production, even for the requested host', () => {
    for (const host of ['auth.internal', 'localhost:3000', '10.0.0.5'])
      expect(accepted([`http://${host}`, `https://${host}`], { host })).toEqual([]);
  });

  it('accepts localhost and IP addresses at the requested host outside production', () => {
    for (const host of ['localhost:3000', '127.0.0.1:3000', '192.168.1.5:3000', '[::1]:3000']) {
      const origins = [`http://${host}`, `https://${host}`, `http://${host}/`, 'http://localhost:3001'];
      const own = [`http://${host}`, `https://${host}`];
      expect(accepted(origins, { host }, DEVELOPMENT)).toEqual(own);
      expect(accepted(own, { host, 'sec-fetch-site': 'cross-site' }, DEVELOPMENT)).toEqual([]);
    }
    const proxied = accepted(['http://localhost:5173'], { host: '127.0.0.1:3000' }, DEVELOPMENT);
    expect(proxied).toEqual([]);
  });

  it('rejects a host name that an attacker resolves to this address (DNS rebinding)', () => {
    for (const host of ['evil.example:3000', 'localhost.evil.example:3000', '127.0.0.1.nip.io:3000'])
      for (const site of [undefined, 'same-origin'])
        expect(
          accepted([`http://${host}`], { host, ...(site && { 'sec-fetch-site': site }) }, DEVELOPMENT),
        ).toEqual([]);
  });

  it('checks every method except GET and HEAD', () => {
    const foreign = { host: HOST, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
    expect(methods.filter((method) => isAccepted(foreign, PRODUCTION, method))).toEqual(['GET', 'HEAD']);
  });
});
