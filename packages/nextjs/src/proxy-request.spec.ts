import fc from 'fast-check';
import type { Deployment } from './deployment.js';
import { resolveOptions } from './options.js';
import { proxyRequest } from './proxy-request.js';

const settings = { url: 'https://auth.example.com', projectId: 'p', publishableKey: 'pk' };

/** Sends a request with an expired session through the proxy. Returns true if the proxy refreshed the session. */
async function isRefreshed(path: string, { basePath = '', handlerPath = '/api/gatehouse' } = {}) {
  let count = 0;
  const refresher = {
    refresh: async () => {
      count += 1;
      return { status: 'unavailable' as const };
    },
  };
  const options = resolveOptions({ ...settings, handlerPath }, {});
  const headers = new Headers({ cookie: 'gatehouse-refresh=r' });
  // Like Next.js, resolves dot segments before the page is selected.
  const url = new URL(path, 'https://shop.example').href;
  await proxyRequest({ options, refresher } as unknown as Deployment, {
    url,
    headers,
    nextUrl: { basePath },
  });
  return count === 1;
}

const notRefreshed = async (paths: string[], app?: { basePath?: string; handlerPath?: string }) => {
  const found = await Promise.all(paths.map((path) => isRefreshed(path, app)));
  return paths.filter((_, index) => !found[index]);
};

const handled = [
  '/refresh?returnTo=%2Forders',
  '/sign-in',
  '/api/v1/me',
  '/api/v1/me/',
  '/api/v1/me/sessions/019aa2c0-7d1e-7000-8000-000000000000',
  '/api/v1/auth/email-code/verify',
];

it('does not refresh the session for handler routes, which refresh it themselves', async () => {
  const paths = handled.map((path) => `/api/gatehouse${path}`);
  expect(await notRefreshed(paths)).toEqual(paths);
  const inBasePath = paths.map((path) => `/shop${path}`);
  expect(await notRefreshed(inBasePath, { basePath: '/shop' })).toEqual(inBasePath);
  const elsewhere = handled.map((path) => `/auth${path}`);
  expect(await notRefreshed(elsewhere, { handlerPath: '/auth/' })).toEqual(elsewhere);
});

it('refreshes the session for paths that only resemble a handler route', async () => {
  const others = [
    '/api/gatehouse',
    '/api/gatehouse/',
    '/api/gatehouse/orders',
    '/api/gatehouse/refresh/orders',
    '/api/gatehouse/refreshed',
    '/api/gatehouse/api/v1/customers',
    '/api/gatehouse/api/v1/meters',
    '/api/gatehouse/api/v1/auth/oauth/callback/1',
    '/api/gatehouse/api/v1/auth//oauth/callback/1',
    '/api/gatehouse/../orders',
    '/api/gatehouse/%2e%2E/orders',
    '/api/gatehouse/api/v1/me/../../../../orders',
    '/api/gatehouse/..%2forders',
    '/api/gatehouse/api/v1/me/..%2F..%2Forders',
    '/api/gatehouse/api/v1/me/%5c..%5corders',
    '/api/gatehouse/api/v1/me;x=1',
    '/api/gatehouse/api/v1/me/..;/orders',
    '/api/gatehouse;x/refresh',
    '/api/gatehouse//refresh',
    '/api//gatehouse/refresh',
    '//api/gatehouse/refresh',
    '/api/gatehouse/refresh//',
    '/API/gatehouse/refresh',
    '/api/gatehouse/Refresh',
    '/api/g%61tehouse/refresh',
    '/api%2fgatehouse/refresh',
    '/api/gatehouse/%72efresh',
    '/api/gatehouse/refresh%00',
    '/de/api/gatehouse/refresh',
    '/shop/api/gatehouse/refresh',
    '/orders/api/gatehouse/refresh',
    '/orders?path=/api/gatehouse/refresh',
    '/orders#/api/gatehouse/refresh',
  ];
  expect(await notRefreshed(others)).toEqual([]);
});

it('does not mistake a page for the handler because of the basePath', async () => {
  const basePath = '/api/gatehouse';
  expect(await notRefreshed([`${basePath}/orders`, `${basePath}/refresh`], { basePath })).toEqual([]);
  expect(await notRefreshed(['/api/gatehouse/refresh'], { basePath: '/shop' })).toEqual([]);
});

it('treats only paths with the exact characters of a route as handler paths', async () => {
  const parts = fc.constantFrom(
    ...['/', '//', '.', '..', '%2e', '%2E%2e', '%2f', '%5C', '\\', ';x', '%', '%00', '%25', '~', '@'],
    ...['api', 'gatehouse', 'v1', 'me', 'auth', 'refresh', 'sign-in', 'API', 'g%61tehouse', 'orders', 'de'],
    ...['/api/gatehouse/', '/api/v1/me/', '/api/v1/auth/', '/api/gatehouse/refresh'],
  );
  await fc.assert(
    fc.asyncProperty(fc.array(parts, { maxLength: 12 }), async (chosen) => {
      const path = `/${chosen.join('')}`;
      if (!URL.canParse(path, 'https://shop.example') || (await isRefreshed(path))) return;
      const { pathname } = new URL(path, 'https://shop.example');
      expect(pathname).toMatch(/^\/api\/gatehouse(?:\/[\w-]+)+\/?$/);
    }),
    { numRuns: 1_000 },
  );
});
