import { createHmac, createSign, generateKeyPairSync } from 'node:crypto';
import { jest } from '@jest/globals';
import { JwtService } from '@nestjs/jwt';
import {
  reservedClaims,
  signingAlgorithms,
  type Customer,
  type ProjectContext,
  type SigningAlgorithm,
} from '@gatehouse/domain';
import type { Config } from '@gatehouse/platform';
import { AccessTokens, customerIdOf, type AccessTokenClaims, type TokenSession } from './access-tokens.js';
import type { SigningKey, SigningKeyRing } from './signing-key-ring.js';

const pair = (kid: string): SigningKey => ({
  kid,
  algorithm: 'ES256',
  jwk: {},
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }),
});
const rsaPair = (kid: string): SigningKey => ({
  kid,
  algorithm: 'RS256',
  jwk: {},
  ...generateKeyPairSync('rsa', { modulusLength: 2048 }),
});

const current = pair('current');
const currentRsa = rsaPair('current-rsa');
const previous = pair('previous');
const foreign = pair('foreign');
const ring = {
  getCurrentKey: (algorithm: SigningAlgorithm) => (algorithm === 'ES256' ? current : currentRsa),
  find: (kid: string) => [current, currentRsa, previous].find((key) => key.kid === kid),
} as SigningKeyRing;

const issuer = 'https://auth.example.com';
const tokens = new AccessTokens(new JwtService(), ring, { publicUrl: issuer } as Config);

const customer = {
  id: '0199a1b2-c3d4-7e5f-8a6b-000000000001',
  emailVerified: true,
  metadata: {},
  publicMetadata: {},
} as Customer;
const sid = '0199a1b2-c3d4-7e5f-8a6b-000000000002';
const session: TokenSession = { id: sid, amr: ['pwd'], authTime: new Date('2026-11-20T12:00:00.999Z') };
const project = {
  id: '0199a1b2-c3d4-7e5f-8a6b-000000000003',
  settings: { accessTokenTtl: 600, accessTokenClaims: [] as string[], signingAlgorithm: 'ES256' },
} as ProjectContext;

const encode = (part: unknown): string => Buffer.from(JSON.stringify(part)).toString('base64url');
const decode = (token: string, part: number): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[part]!, 'base64url').toString()) as Record<string, unknown>;

const now = () => Math.floor(Date.now() / 1000);
const claims = (changed: object = {}): object => ({
  iss: issuer,
  aud: project.id,
  sub: customer.id,
  sid,
  jti: '0199a1b2-c3d4-7e5f-8a6b-000000000004',
  iat: now(),
  exp: now() + 600,
  email_verified: true,
  ...changed,
});
const header = (changed: object = {}): object => ({
  alg: 'ES256',
  typ: 'at+jwt',
  kid: 'current',
  ...changed,
});

/** Returns a token with any header and claims and an authentic ES256 or RS256 signature. */
const signed = (head: object, body: object, key = current, hash = 'sha256'): string => {
  const text = `${encode(head)}.${encode(body)}`;
  const signature = createSign(hash).update(text).sign({ key: key.privateKey, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
};

describe('AccessTokens', () => {
  it('TK-02: contains only issuer, project, customer, session, authentication and expiry', () => {
    const token = tokens.sign(customer, session, project);
    expect(decode(token, 0)).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: 'current' });
    const body = decode(token, 1) as unknown as AccessTokenClaims;
    expect(body).toEqual({
      iss: issuer,
      aud: project.id,
      sub: customer.id,
      sid,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
      iat: expect.any(Number),
      exp: expect.any(Number),
      email_verified: true,
      amr: ['pwd'],
      auth_time: Date.UTC(2026, 10, 20, 12) / 1000,
    });
    expect(tokens.verify(token)).toEqual(body);
  });

  describe('with the tokenSubject externalId', () => {
    const settings = { ...project.settings, tokenSubject: 'externalId' as const };
    const signFor = (externalId: string | null) =>
      tokens.sign({ ...customer, externalId }, session, { ...project, settings });

    it.each([
      ['auth0|64a1', 'auth0|64a1'],
      [null, customer.id],
    ])('maps externalId %s to sub %s and adds the id as customer_id', (externalId, sub) => {
      const token = signFor(externalId);
      expect(decode(token, 1)).toMatchObject({ sub, customer_id: customer.id });
      expect(customerIdOf(tokens.verify(token)!)).toBe(customer.id);
    });

    it('requires a customer_id to verify a sub that is not an id', () => {
      expect(tokens.verify(signed(header(), claims({ sub: 'auth0|64a1' })))).toBeNull();
      expect(
        tokens.verify(signed(header(), claims({ sub: 'auth0|64a1', customer_id: customer.id }))),
      ).not.toBeNull();
      expect(tokens.verify(signed(header(), claims({ customer_id: 'auth0|64a1' })))).toBeNull();
      expect(
        tokens.verify(signed(header(), claims({ sub: undefined, customer_id: customer.id }))),
      ).toBeNull();
    });
  });

  it.each(signingAlgorithms)("signs with the project's signingAlgorithm, %s", (signingAlgorithm) => {
    const settings = { ...project.settings, signingAlgorithm };
    const token = tokens.sign(customer, session, { ...project, settings });
    const { kid } = ring.getCurrentKey(signingAlgorithm);
    expect(decode(token, 0)).toEqual({ alg: signingAlgorithm, typ: 'at+jwt', kid });
    expect(tokens.verify(token)).toMatchObject({ sub: customer.id, sid });
  });

  it.each([60, 600, 3600, 86_400])('TK-04: expires after exactly the accessTokenTtl, %d s', (ttl) => {
    const settings = { ...project.settings, accessTokenTtl: ttl };
    const body = decode(
      tokens.sign(customer, session, { ...project, settings }),
      1,
    ) as unknown as AccessTokenClaims;
    expect(body.exp - body.iat).toBe(ttl);
  });

  describe('TK-02: custom claims', () => {
    const signWith = (accessTokenClaims: string[], fields: Partial<Customer>) => {
      const settings = { ...project.settings, accessTokenClaims };
      const token = tokens.sign({ ...customer, ...fields }, session, { ...project, settings });
      expect(tokens.verify(token)).toMatchObject({ sub: customer.id, sid });
      return decode(token, 1);
    };

    it('consist of the configured publicMetadata keys that the customer has', () => {
      const publicMetadata = { plan: 'pro', roles: ['a', { b: null }], other: 1, empty: null };
      const body = signWith(['plan', 'roles', 'empty', 'absent'], { publicMetadata });
      expect(body).toMatchObject({ plan: 'pro', roles: ['a', { b: null }], empty: null, sub: customer.id });
      expect(Object.keys(body)).toHaveLength(10 + 3);
    });

    it('contain customer fields; publicMetadata keys replace all of them except email', () => {
      const fields = { email: 'ada@example.com', firstName: 'Ada', lastName: null, externalId: 'u1' };
      const publicMetadata = { email: 'forged@example.com', externalId: 7 };
      const body = signWith(['email', 'firstName', 'lastName', 'externalId'], { ...fields, publicMetadata });
      expect(body).toMatchObject({ email: 'ada@example.com', firstName: 'Ada', externalId: 7 });
      expect(body).not.toHaveProperty('lastName');
    });

    it('never contain private metadata or inherited object members', () => {
      const body = signWith(['plan', 'metadata'], { metadata: { plan: 'hidden' } });
      expect(JSON.stringify(body)).not.toMatch(/plan|metadata|hidden/);
      const names = ['toString', 'hasOwnProperty', '__proto__', 'constructor'];
      expect(Object.keys(signWith(names, {}))).toHaveLength(10);
    });

    it('never set a reserved claim', () => {
      for (const name of reservedClaims) {
        // Parsed from JSON, because the literal { __proto__: … } does not create a property.
        const publicMetadata = JSON.parse(`{"${name}": "forged"}`) as Record<string, unknown>;
        const body = signWith([name], { publicMetadata });
        expect(JSON.stringify(body)).not.toContain('forged');
        expect(Object.keys(body)).toHaveLength(10);
        expect(body).toMatchObject({ iss: issuer, aud: project.id, sub: customer.id, email_verified: true });
      }
    });
  });

  it('accepts a valid token, including one signed with the previous key', () => {
    expect(tokens.verify(signed(header(), claims()))).not.toBeNull();
    expect(tokens.verify(signed(header({ kid: 'previous' }), claims(), previous))).not.toBeNull();
  });

  it('TK-04: accepts an expired token for five seconds', () => {
    expect(tokens.verify(signed(header(), claims({ exp: now() - 2 })))).not.toBeNull();
    expect(tokens.verify(signed(header(), claims({ exp: now() - 6 })))).toBeNull();
  });

  it('TK-04: rejects a cached token as soon as it expires', () => {
    const start = Date.now();
    const token = signed(header(), claims({ exp: now() + 60 }));
    jest.useFakeTimers({ now: start });
    try {
      expect(tokens.verify(token)).not.toBeNull();
      jest.setSystemTime(start + 64_000);
      expect(tokens.verify(token)).not.toBeNull();
      jest.setSystemTime(start + 66_000);
      expect(tokens.verify(token)).toBeNull();
    } finally {
      jest.useRealTimers();
    }
  });

  it('TK-01: rejects a cached token once its key is gone', () => {
    const keys = [current, previous];
    const changingRing = { find: (kid: string) => keys.find((key) => key.kid === kid) } as SigningKeyRing;
    const changingTokens = new AccessTokens(new JwtService(), changingRing, { publicUrl: issuer } as Config);
    const token = signed(header({ kid: 'previous' }), claims(), previous);
    expect(changingTokens.verify(token)).not.toBeNull();
    expect(changingTokens.verify(token)).not.toBeNull();
    keys[1] = pair('previous');
    expect(changingTokens.verify(token)).toBeNull();
    keys.pop();
    expect(changingTokens.verify(token)).toBeNull();
  });

  const invalidTokens: Record<string, [claims: object, header?: object]> = {
    'another issuer': [{ iss: 'https://eve.example' }],
    'no issuer': [{ iss: undefined }],
    'no expiry': [{ exp: undefined }],
    'an expiry that is a string': [{ exp: '9999999999' }],
    'no issue time': [{ iat: undefined }],
    'no audience': [{ aud: undefined }],
    'an audience that is a list': [{ aud: [project.id] }],
    'no subject': [{ sub: undefined }],
    'a subject that is not a UUID': [{ sub: 'ada' }],
    'an audience that is not a project': [{ aud: 'https://api.example.com' }],
    'no session': [{ sid: undefined }],
    'no token id': [{ jti: undefined }],
    'not valid before tomorrow': [{ nbf: now() + 86_400 }],
    'another type': [{}, { typ: 'JWT' }],
    'a logout token': [{}, { typ: 'logout+jwt' }],
    'no type': [{}, { typ: undefined }],
    'another algorithm in the header': [{}, { alg: 'ES384' }],
    'a critical extension': [{}, { crit: ['exp'] }],
    'an unknown key id': [{}, { kid: 'unknown' }],
    'no key id': [{}, { kid: undefined }],
    'a key id that is a path': [{}, { kid: '../../current' }],
    'a key id that is an inherited property': [{}, { kid: 'constructor' }],
  };
  it('TK-01, TK-02: rejects an authentic signature over invalid claims or headers', () => {
    const accepted = Object.entries(invalidTokens).filter(
      ([, [body, head]]) => tokens.verify(signed(header(head), claims(body))) !== null,
    );
    expect(accepted.map(([name]) => name)).toEqual([]);
  });

  it('TK-01: ignores a key in the token', () => {
    const jwk = foreign.publicKey.export({ format: 'jwk' });
    const der = foreign.publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
    const ownKey = { jwk, jku: 'https://eve.example/jwks.json', x5u: 'https://eve.example/x5u', x5c: [der] };
    expect(tokens.verify(signed(header(ownKey), claims(), foreign))).toBeNull();
    for (const kid of ['foreign', undefined, ownKey.jku]) {
      expect(tokens.verify(signed(header({ ...ownKey, kid }), claims(), foreign))).toBeNull();
    }
    expect(tokens.verify(signed(header(ownKey), claims()))).not.toBeNull();
  });

  it('TK-01: rejects alg none, HMAC with the public key, and missing, foreign or zero signatures', () => {
    for (const alg of ['none', 'None', 'NONE', 'nOnE']) {
      expect(tokens.verify(`${encode(header({ alg }))}.${encode(claims())}.`)).toBeNull();
      expect(tokens.verify(signed(header({ alg }), claims()))).toBeNull();
    }
    for (const { kid, algorithm, publicKey } of [current, currentRsa]) {
      expect(tokens.verify(`${encode(header({ alg: 'none', kid }))}.${encode(claims())}.`)).toBeNull();
      const secrets = [
        publicKey.export({ type: 'spki', format: 'pem' }),
        publicKey.export({ type: 'spki', format: 'der' }),
        JSON.stringify(publicKey.export({ format: 'jwk' })),
      ];
      for (const secret of secrets) {
        for (const alg of ['HS256', algorithm]) {
          const text = `${encode(header({ alg, kid }))}.${encode(claims())}`;
          const mac = createHmac('sha256', secret).update(text).digest('base64url');
          expect(tokens.verify(`${text}.${mac}`)).toBeNull();
        }
      }
    }
    const text = `${encode(header())}.${encode(claims())}`;
    for (const end of ['', '.', `.${Buffer.alloc(64).toString('base64url')}`])
      expect(tokens.verify(text + end)).toBeNull();
    expect(tokens.verify(signed(header(), claims(), foreign))).toBeNull();
    const [head, , signature] = signed(header(), claims()).split('.');
    expect(tokens.verify(`${head}.${encode(claims({ email_verified: false }))}.${signature}`)).toBeNull();
  });

  it("TK-01: accepts only the algorithm that belongs to the token's key", () => {
    const rsa = { alg: 'RS256', kid: currentRsa.kid };
    expect(tokens.verify(signed(header(rsa), claims(), currentRsa))).not.toBeNull();
    const otherHeaders: [string, object, SigningKey, string?][] = [
      ['RS256 with the kid of the EC key', { alg: 'RS256' }, currentRsa],
      ['an RSA signature as ES256', { alg: 'ES256' }, currentRsa],
      ['an RSA signature as ES256 with its kid', { ...rsa, alg: 'ES256' }, currentRsa],
      ['ES256 with the kid of the RSA key', { ...rsa, alg: 'ES256' }, current],
      ['an EC signature as RS256', rsa, current],
      ['an EC signature as RS256 with its kid', { alg: 'RS256' }, current],
      ['RS384', { ...rsa, alg: 'RS384' }, currentRsa, 'sha384'],
      ['RS512', { ...rsa, alg: 'RS512' }, currentRsa, 'sha512'],
      ['PS256', { ...rsa, alg: 'PS256' }, currentRsa],
      ['none with a signature', { ...rsa, alg: 'none' }, currentRsa],
      ['HS256 with a signature', { ...rsa, alg: 'HS256' }, currentRsa],
    ];
    const accepted = otherHeaders.filter(
      ([, head, key, hash]) => tokens.verify(signed(header(head), claims(), key, hash)) !== null,
    );
    expect(accepted.map(([name]) => name)).toEqual([]);
  });

  it('TK-01: rejects every other encoding of an authentic token', () => {
    const token = signed(header(), claims());
    expect(tokens.verify(token)).not.toBeNull();
    const [head, body, signature] = token.split('.') as [string, string, string];
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    // A 64-byte signature leaves four bits in its last character unused.
    const last = alphabet.indexOf(signature.at(-1)!);
    const sameBytes = Array.from({ length: 15 }, (_, bits) => alphabet[last + bits + 1]!).map(
      (character) => `${head}.${body}.${signature.slice(0, -1)}${character}`,
    );
    const others = [
      `${token}=`,
      `${token}==`,
      `${head}=.${body}.${signature}`,
      `${head}.${body}=.${signature}`,
    ];
    const standard = `${head}.${body}.${Buffer.from(signature, 'base64url').toString('base64')}`;
    for (const other of [...sameBytes, ...others, standard, ` ${token}`, `${token}\n`]) {
      expect(tokens.verify(other)).toBeNull();
      expect(tokens.findRejectionReason(other)).toBe('malformed');
    }
    // The header and payload encoding is checked as well, even with an authentic signature.
    const paddedBody = `${encode(claims({ note: 'x' }))}`;
    for (const text of [`${encode(header())}.${paddedBody}=`, `${encode(header())}=.${paddedBody}`]) {
      const end = createSign('sha256')
        .update(text)
        .sign({ key: current.privateKey, dsaEncoding: 'ieee-p1363' });
      expect(tokens.verify(`${text}.${end.toString('base64url')}`)).toBeNull();
    }
  });

  it('returns a reason only for a malformed token and for an authentic but expired token', () => {
    const expired = claims({ exp: now() - 60 });
    expect(tokens.findRejectionReason(signed(header(), expired))).toBe('expired');
    for (const text of ['', 'abc', 'a.b', 'e30', `${encode(header())}.${encode(claims())}`, '!.!.!'])
      expect(tokens.findRejectionReason(text)).toBe('malformed');
    for (const token of [
      signed(header(), claims()),
      signed(header(), expired, foreign),
      signed(header({ kid: 'foreign' }), expired),
      signed(header({ typ: 'JWT' }), expired),
    ])
      expect(tokens.findRejectionReason(token)).toBeNull();
  });

  it('AK-09: rejects strings that are not tokens without throwing', () => {
    const parts = [null, [], 'at+jwt'].map((part) => `${encode(part)}.x.y`);
    const texts = ['', '.', '..', '...', 'a.b.c', 'null.null.null', 'rt_AAAA', '🦄', 'x'.repeat(100_000)];
    for (const token of [...texts, ...parts]) expect(tokens.verify(token)).toBeNull();
  });
});
