import { resolveOptions } from './options.js';

const env = {
  GATEHOUSE_URL: 'https://auth.example.com/',
  GATEHOUSE_PROJECT_ID: 'p',
  GATEHOUSE_PUBLISHABLE_KEY: 'pk',
};

it('reads environment variables, and throws with the name of a missing one', () => {
  expect(resolveOptions({}, env)).toMatchObject({
    url: 'https://auth.example.com',
    projectId: 'p',
    signInUrl: '/sign-in',
  });
  expect(resolveOptions({ projectId: 'q' }, env).projectId).toBe('q');
  for (const name of Object.keys(env)) expect(() => resolveOptions({}, { ...env, [name]: '' })).toThrow(name);
});

it('trusts a client IP header only if it is configured', () => {
  const headers = new Headers({ 'x-forwarded-for': '192.0.2.1, 203.0.113.7', 'x-real-ip': '192.0.2.1' });
  expect(resolveOptions({}, env).clientIp({ headers })).toBeNull();
  const named = { ...env, GATEHOUSE_CLIENT_IP_HEADER: 'x-forwarded-for' };
  expect(resolveOptions({}, named).clientIp({ headers })).toBe('203.0.113.7');
});
