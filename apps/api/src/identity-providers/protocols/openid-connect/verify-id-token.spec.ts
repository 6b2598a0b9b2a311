import { exportJWK, generateKeyPair, createLocalJWKSet, SignJWT, type JWTPayload } from 'jose';
import { verifyIdToken, type IdTokenConditions } from './verify-id-token.js';

const time = new Date('2026-11-20T12:00:00.900Z');
const seconds = Math.floor(time.getTime() / 1_000);
const conditions: IdTokenConditions = {
  issuer: 'https://accounts.example.com',
  audience: ['web', 'ios'],
  nonce: undefined,
  requireNonce: false,
};
const { privateKey, publicKey } = await generateKeyPair('ES256');
const keySet = createLocalJWKSet({ keys: [await exportJWK(publicKey)] });

const sign = (claims: JWTPayload = {}): Promise<string> => {
  const { issuer: iss } = conditions;
  const valid = { iss, aud: 'ios', sub: 'ada', iat: seconds, exp: seconds + 3_600 };
  return new SignJWT({ ...valid, ...claims }).setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
};
const verify = (idToken: string, differences: Partial<IdTokenConditions> = {}, at = time) =>
  verifyIdToken(idToken, keySet, { ...conditions, ...differences }, at);
const isAccepted = (...args: Parameters<typeof verify>): Promise<boolean> =>
  verify(...args).then(
    () => true,
    () => false,
  );

it('returns the claims and the signed text', async () => {
  const idToken = await sign();
  const { claims, signedText } = await verify(idToken);
  expect(claims).toMatchObject({ sub: 'ada', iat: seconds });
  expect(idToken.startsWith(`${signedText}.`)).toBe(true);
});

it('accepts only the canonical encoding', async () => {
  const idToken = await sign({ nonce: 'n' });
  const [header, payload, signature] = idToken.split('.') as [string, string, string];
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  // A 64-byte signature leaves four bits of its last character unused.
  const nextCharacter = alphabet[alphabet.indexOf(signature.at(-1)!) + 1]!;
  const others = {
    'other unused bits': `${header}.${payload}.${signature.slice(0, -1)}${nextCharacter}`,
    'padding of the signature': `${idToken}==`,
    'padding of the header': `${header}=.${payload}.${signature}`,
    'a space': `${header}.${payload}.${signature.slice(0, 9)} ${signature.slice(9)}`,
    'a line break': `${header}.${payload}.${signature}\n`,
    'a tab before the header': `\t${idToken}`,
    'a space in the claims': `${header}.${payload.slice(0, 9)} ${payload.slice(9)}.${signature}`,
    'base64 with padding': `${header}.${payload}.${Buffer.from(signature, 'base64url').toString('base64')}`,
    'a fourth part': `${idToken}.`,
    'no signature': `${header}.${payload}`,
    'an empty string': '',
  };
  expect(await isAccepted(idToken)).toBe(true);
  const accepted = await Promise.all(
    Object.entries(others).map(async ([name, text]) => ((await isAccepted(text)) ? [name] : [])),
  );
  expect(accepted.flat()).toEqual([]);
});

it('returns the same signed text for another valid signature of the token', async () => {
  const idToken = await sign();
  const [header, payload, signature] = idToken.split('.') as [string, string, string];
  const bytes = Buffer.from(signature, 'base64url');
  // If s is a valid signature, the P-256 order minus s is also valid.
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
  const s = (order - BigInt(`0x${bytes.toString('hex', 32)}`)).toString(16).padStart(64, '0');
  const other = Buffer.concat([bytes.subarray(0, 32), Buffer.from(s, 'hex')]).toString('base64url');
  expect(other).not.toBe(signature);
  const { signedText } = await verify(`${header}.${payload}.${other}`);
  expect(signedText).toBe((await verify(idToken)).signedText);
});

it.each<[string, JWTPayload, boolean]>([
  ['that expires in an hour', {}, true],
  ['that expired 59 s ago', { exp: seconds - 59 }, true],
  ['that expired 60 s ago', { exp: seconds - 60 }, false],
  ['that was issued an hour and 60 s ago', { iat: seconds - 3_660 }, true],
  ['that was issued an hour and 61 s ago', { iat: seconds - 3_661 }, false],
  ['that will be issued in 60 s', { iat: seconds + 60 }, true],
  ['that will be issued in 61 s', { iat: seconds + 61 }, false],
  ['that becomes valid in 61 s', { nbf: seconds + 61 }, false],
  ['without an issue time', { iat: undefined }, false],
  ['without an expiry', { exp: undefined }, false],
])('allows 60 s leeway for a token %s: claims %j, accepted %j', async (_, claims, expected) => {
  expect(await isAccepted(await sign(claims))).toBe(expected);
});

it.each([1e18, 253_402_300_800])(
  'reports the field for a token whose expiry is not a time: %p',
  async (exp) => {
    await expect(verify(await sign({ exp }))).rejects.toMatchObject({
      code: 'validation_failed',
      details: { errors: [{ field: 'idToken', code: 'invalid' }] },
    });
  },
);

it('returns the time until which it accepts the token', async () => {
  for (const claims of [{}, { exp: seconds + 10 }, { iat: seconds - 600, exp: 253_402_300_799 }]) {
    const idToken = await sign(claims);
    const { acceptedUntil } = await verify(idToken);
    expect(await isAccepted(idToken, {}, acceptedUntil)).toBe(false);
    expect(await isAccepted(idToken, {}, new Date(acceptedUntil.getTime() - 2_000))).toBe(true);
  }
});

it.each<[request: string | undefined, token: string | undefined, requireNonce: boolean, expected: boolean]>([
  ['n', 'n', false, true],
  ['n', 'n', true, true],
  ['n', 'other', false, false],
  ['n', undefined, false, false],
  ['n', undefined, true, false],
  ['', undefined, false, false],
  ['', '', true, false],
  [undefined, 'n', false, true],
  [undefined, 'n', true, false],
  [undefined, undefined, false, true],
  [undefined, undefined, true, false],
])("compares the request's nonce %j with %j, required %j: accepted %j", async (...row) => {
  const [nonce, inToken, requireNonce, expected] = row;
  expect(await isAccepted(await sign({ nonce: inToken }), { nonce, requireNonce })).toBe(expected);
});

it.each<[audience: string | string[], expected: boolean]>([
  ['web', true],
  [['ios'], true],
  [['web', 'ios'], true],
  ['other', false],
  [['ios', 'other'], false],
  [[], false],
])('accepts only tokens for its own clients: audience %j, accepted %j', async (aud, expected) => {
  expect(await isAccepted(await sign({ aud }))).toBe(expected);
});
