import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { createServer, type ServerOptions } from './create-server.js';

const options = { url: 'https://auth.example.com', projectId: 'prj' };

it('requires a url and a project', () => {
  for (const missing of [{ url: '' }, { projectId: '' }, { projectId: undefined }, { url: undefined }])
    expect(() => createServer({ ...options, ...missing } as ServerOptions)).toThrow(TypeError);
});

it('requires the options secretKey and revocation only in calls that use them', async () => {
  const server = createServer(options);
  await expect(server.customers.get('id')).rejects.toThrow('secretKey');
  expect(() => server.vouchFor('203.0.113.7')).toThrow('secretKey');
  expect(() => server.revocations()).toThrow('revocation');
  expect(createServer({ ...options, secretKey: 'sk_test' }).vouchFor('203.0.113.7')).toEqual({
    'x-api-key': 'sk_test',
    'x-client-ip': '203.0.113.7',
  });
});

it('rejects unknown fields and missing ids in calls', async () => {
  const { customers, projects } = createServer({
    ...options,
    secretKey: 'sk_test',
    fetch: async () => Response.json({}),
  });
  await customers.list({ emailVerified: true, limit: 2 }).page();
  await projects.list({ archived: false }).page();
  // @ts-expect-error an unknown field
  await customers.create({ mail: 'ada@example.com' });
  // @ts-expect-error an unknown filter
  await customers.list({ mail: 'ada@example.com' }).page();
  // @ts-expect-error no id
  await expect(customers.get()).rejects.toThrow(TypeError);
});

it('verifies the issuer when it differs from the URL of the public keys', async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'key', alg: 'ES256' }];
  const urls = new Set<unknown>();
  const fetch = async (url: unknown) => {
    urls.add(url);
    return Response.json({ keys });
  };
  const token = await new SignJWT({ sid: 'ses' })
    .setProtectedHeader({ alg: 'ES256', kid: 'key', typ: 'at+jwt' })
    .setIssuer('https://auth.example.com')
    .setAudience('prj')
    .setSubject('cus')
    .setExpirationTime('5m')
    .sign(privateKey);
  const internal = { ...options, url: 'http://gatehouse:3000', fetch: fetch as typeof globalThis.fetch };
  const server = createServer({ ...internal, issuer: 'https://auth.example.com/' });
  expect(await server.verifyAccessToken(token)).toMatchObject({ sub: 'cus' });
  await expect(createServer(internal).verifyAccessToken(token)).rejects.toMatchObject({
    code: 'invalid_access_token',
  });
  expect([...urls]).toEqual(['http://gatehouse:3000/.well-known/jwks.json']);
});
