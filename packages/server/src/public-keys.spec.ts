import { jest } from '@jest/globals';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose';
import { createServer } from './create-server.js';

const url = 'https://auth.example.com';
const TEN_MINUTES = 10 * 60_000;

const sign = (key: CryptoKey, kid: string): Promise<string> =>
  new SignJWT({ sid: 'ses' })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid })
    .setIssuer(url)
    .setAudience('prj')
    .setSubject('cus')
    .setExpirationTime('2h')
    .sign(key);

afterEach(() => jest.restoreAllMocks());

it('uses the last known public keys in an outage, and does not reject tokens with unknown keys', async () => {
  const [known, later] = await Promise.all([generateKeyPair('ES256'), generateKeyPair('ES256')]);
  const jwkOf = async (kid: string, { publicKey }: typeof known) => ({
    ...(await exportJWK(publicKey)),
    kid,
    alg: 'ES256',
  });
  let keys = [await jwkOf('known', known)];
  const outages: (() => Response)[] = [
    () => {
      throw new TypeError('fetch failed');
    },
    () => new Response(null, { status: 503 }),
    () => new Response('<html>'),
  ];
  let outage: (() => Response) | undefined;
  const gatehouse = createServer({
    url,
    projectId: 'prj',
    fetch: async () => (outage ? outage() : Response.json({ keys })),
  });
  const outcome = async (token: string) =>
    gatehouse.verifyAccessToken(token).then(
      ({ sub }) => sub,
      ({ code }) => code as string,
    );
  let now = Date.now();
  jest.spyOn(Date, 'now').mockImplementation(() => now);
  const tokens = [await sign(known.privateKey, 'known'), await sign(later.privateKey, 'later')];
  const outcomes = () => Promise.all(tokens.map(outcome));

  expect(await outcomes()).toEqual(['cus', 'invalid_access_token']);
  for (outage of outages) {
    now += TEN_MINUTES + 1;
    expect(await outcomes()).toEqual(['cus', 'unavailable']);
  }
  outage = undefined;
  now += TEN_MINUTES + 1;
  keys = [...keys, await jwkOf('later', later)];
  expect(await outcomes()).toEqual(['cus', 'cus']);
});
