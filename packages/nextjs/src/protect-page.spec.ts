import { createServer } from '@gatehouse/server';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { Deployment } from './deployment.js';
import { resolveOptions } from './options.js';
import { protectPage, readAuth, type ProtectOptions } from './protect-page.js';

const settings = { url: 'https://auth.example.com', projectId: 'p', publishableKey: 'pk' };
const SECONDS = Math.floor(Date.now() / 1_000);

let deployment: Deployment;
let sign: (claims?: object) => Promise<string>;
beforeAll(async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256', use: 'sig' }] };
  const options = resolveOptions({ ...settings, fetch: async () => Response.json(keys) }, {});
  deployment = { options, verifier: createServer(options) } as Deployment;
  sign = (claims = {}) =>
    new SignJWT({ sid: 's', jti: 'j', amr: ['pwd'], auth_time: SECONDS, exp: SECONDS + 3_600, ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'k', typ: 'at+jwt' })
      .setIssuer(settings.url)
      .setAudience('p')
      .setSubject('c')
      .setIssuedAt()
      .sign(privateKey);
});

/** Returns the customer id, or the URL to redirect to. */
async function protect(cookies: Record<string, string>, options: ProtectOptions = {}): Promise<string> {
  const cookie = Object.entries(cookies).map(([name, value]) => `gatehouse-${name}=${value}`);
  const headers = new Headers({ cookie: cookie.join('; '), 'x-gatehouse-path': '/orders?page=2' });
  const result = await protectPage(deployment, headers, options);
  return 'session' in result ? result.session.customerId : result.redirectTo;
}

it('returns the session, or the URL to redirect to', async () => {
  const [access, expired] = [await sign(), await sign({ exp: SECONDS - 3_600 })];
  expect(await protect({ access })).toBe('c');
  expect(await protect({ access, refresh: 'r' }, { maxAge: '10m' })).toBe('c');
  const refresh = '/api/gatehouse/refresh?returnTo=%2Forders%3Fpage%3D2';
  expect(await protect({ access: expired, refresh: 'r' })).toBe(refresh);
  expect(await protect({ refresh: 'r' })).toBe(refresh);
  const signIn = '/sign-in?redirect_url=%2Forders%3Fpage%3D2';
  expect(await protect({ access: expired })).toBe(signIn);
  expect(await protect({})).toBe(signIn);
  expect(await protect({}, { returnUrl: '/a' })).toBe('/sign-in?redirect_url=%2Fa');
  expect(await protect({}, { signInUrl: '/login' })).toBe(signIn.replace('sign-in', 'login'));
});

it('throws instead of looping when the browser does not store the new tokens', async () => {
  await expect(protect({ refresh: 'r', refreshed: '1' })).rejects.toMatchObject({ code: 'unavailable' });
});

it('requires reauthentication without ending the session', async () => {
  const access = await sign({ auth_time: SECONDS - 3_600 });
  const required = { code: 'reauthentication_required', status: 403 };
  await expect(protect({ access }, { maxAge: '10m' })).rejects.toMatchObject(required);
  const url = await protect({ access }, { mfa: true, reauthenticationUrl: '/prove' });
  expect(url).toBe('/prove?redirect_url=%2Forders%3Fpage%3D2&methods=totp%2Cpasskey%2Crecovery_code');
});

it('treats invalid tokens as signed out, but throws when the keys are unavailable', async () => {
  const headers = (access: string) => new Headers({ cookie: `gatehouse-access=${access}` });
  expect(await readAuth(deployment, headers(await sign()))).toMatchObject({
    isSignedIn: true,
    sessionId: 's',
  });
  const forged = `${(await sign()).slice(0, -8)}AAAAAAAA`;
  expect(await readAuth(deployment, headers(forged))).toMatchObject({ isSignedIn: false, customerId: null });
  const unreachable = async (): Promise<Response> => Promise.reject(new TypeError('fetch failed'));
  const verifier = createServer({ ...settings, fetch: unreachable });
  const rejected = readAuth({ ...deployment, verifier }, headers(await sign()));
  await expect(rejected).rejects.toMatchObject({ code: 'unavailable', status: 503 });
});
