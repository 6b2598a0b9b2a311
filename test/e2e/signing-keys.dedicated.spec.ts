import { execFile } from 'node:child_process';
import { createPrivateKey, randomUUID, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  jwtVerify,
  SignJWT,
} from 'jose';
import { Keyring } from '#platform';
import { fetchDocumented } from '../support/fetch-documented.js';
import { eventually } from '../support/eventually.js';
import { TestInstance, type Answer } from '../support/test-instance.js';
import { startReplica } from '../support/replicas.js';
import { insertOrganization } from '../support/tenants.js';
import { uniqueEmail } from '../support/unique-email.js';

/** The apis read their keys every 600 ms in place of every minute. */
const env = { TIME_SCALE: '100' };

let instance: TestInstance;
const start = async (): Promise<void> => {
  instance = await TestInstance.start({ env, workers: 0 });
};
const stop = async (): Promise<void> => instance?.stop();
/** Where keys are made or a secret is changed: for each test of a group its own. */
const ownHouse = (): void => {
  beforeEach(start);
  afterEach(stop);
};
const sharedHouse = (): void => {
  beforeAll(start);
  afterAll(stop);
};

interface Tokens {
  accessToken: string;
  refreshToken: string;
  expiresIn: number;
}

/** The command as an operator types it. @throws Error with `stderr` and `code` unless it ends well */
const command = async (...words: string[]): Promise<string> => {
  const { stdout } = await promisify(execFile)(process.execPath, ['scripts/gatehouse.mjs', ...words], {
    env: { PATH: process.env['PATH']!, ...instance.env },
  });
  return stdout;
};

const tokensOf = ({ status, body }: Answer): Tokens => {
  if (!body.tokens) throw new Error(`no tokens in ${status} ${JSON.stringify(body)}`);
  return body.tokens as Tokens;
};
const register = async (): Promise<Tokens> => tokensOf(await instance.register());
const refresh = async ({ refreshToken }: Tokens): Promise<Tokens> =>
  tokensOf(await instance.request('POST', '/api/v1/auth/refresh', { body: { refreshToken } }));
const me = async ({ accessToken }: Pick<Tokens, 'accessToken'>): Promise<number> =>
  (await instance.customer(accessToken, 'GET', '/api/v1/me')).status;

const kidOf = ({ accessToken }: Tokens): string => decodeProtectedHeader(accessToken).kid!;
const jwks = async (baseUrl = instance.baseUrl): Promise<Record<string, string>[]> => {
  const response = await fetchDocumented(`${baseUrl}/.well-known/jwks.json`);
  return ((await response.json()) as { keys: Record<string, string>[] }).keys;
};
const publishedKids = async (): Promise<string[]> => (await jwks()).map(({ kid }) => kid!);
const storedKids = async (): Promise<string[]> =>
  (await instance.sql('SELECT kid FROM signing_keys ORDER BY activates_at DESC')).map(({ kid }) => kid);

/** Lets time pass for a key: moves the moment at which it begins to sign into the past. */
const passTime = (kid: string, interval: string): Promise<unknown> =>
  instance.sql(`UPDATE signing_keys SET activates_at = activates_at - $2::interval WHERE kid = $1`, [
    kid,
    interval,
  ]);

describe('rotation by command', () => {
  ownHouse();

  it('CF-04: publishes the next key before its use and keeps the one before until its tokens have expired', async () => {
    const before = await register();
    const first = kidOf(before);
    const output = await command('rotate-signing-key');
    const [, next, begins] = /signing key (\S+) is published. It begins to sign at (\S+),/.exec(output)!;
    const [{ seconds }] = (await instance.sql(
      `SELECT extract(epoch FROM $1::timestamptz - now())::int AS seconds`,
      [begins],
    )) as [{ seconds: number }];
    expect(seconds).toBeGreaterThan(14 * 60);
    expect(seconds).toBeLessThanOrEqual(15 * 60);

    await eventually('the next key being published', async () => (await publishedKids()).length === 2);
    expect(await publishedKids()).toEqual([next, first]);
    expect(kidOf(await register())).toBe(first);

    await passTime(next!, '15 minutes');
    await eventually('the next key signing', async () => kidOf(await register()) === next);
    expect(await publishedKids()).toEqual([next, first]);
    expect(await me(before)).toBe(200);
    const renewed = await refresh(before);
    expect(kidOf(renewed)).toBe(next);
    expect(await me(renewed)).toBe(200);

    // A token that lives for 24 hours, signed in the last minute of the first key, is still good.
    await passTime(first, '2 days');
    await passTime(next!, '24 hours');
    await command('rotate-signing-key');
    await eventually('a load of the keys since then', async () => (await publishedKids()).length > 2);
    expect(await publishedKids()).toContain(first);
    expect(await me(before)).toBe(200);

    await passTime(next!, '1 hour');
    await eventually('the first key leaving', async () => !(await publishedKids()).includes(first));
    expect(await storedKids()).not.toContain(first);
    expect(await me(before)).toBe(401);
    expect(await me(renewed)).toBe(200);
  });

  it('ends every access token with --now, on every replica, and no session', async () => {
    const replica = await startReplica(instance);
    try {
      const before = await register();
      await command('rotate-signing-key');
      const output = await command('rotate-signing-key', '--now');
      const [, next] = /signing key (\S+) begins to sign now/.exec(output)!;
      expect(output).toMatch(/within 60 seconds[\s\S]*may be\n300 seconds old/);
      expect(await storedKids()).toEqual([next]);

      for (const baseUrl of [instance.baseUrl, replica.baseUrl]) {
        const isAlone = async () => (await jwks(baseUrl)).every(({ kid }) => kid === next);
        await eventually('the older keys leaving', isAlone);
        const answer = await fetchDocumented(`${baseUrl}/api/v1/me`, {
          headers: { authorization: `Bearer ${before.accessToken}` },
        });
        expect(answer.status).toBe(401);
        expect(answer.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
      }
      const renewed = await refresh(before);
      expect(kidOf(renewed)).toBe(next);
      expect(await me(renewed)).toBe(200);
    } finally {
      await replica.process.end();
    }
  });

  it('refuses words that it does not know, and a foreign root secret, without touching a key', async () => {
    const kids = await storedKids();
    for (const words of [['rotate-signing-key', '--force'], ['rotate-signing-keys'], ['toString']]) {
      await expect(command(...words)).rejects.toMatchObject({
        code: 2,
        stderr: expect.stringContaining('rotate-signing-key'),
      });
    }
    instance.env['GATEHOUSE_SECRET'] = Buffer.from(randomUUID() + randomUUID()).toString('base64url');
    for (const words of [['rotate-signing-key'], ['rotate-signing-key', '--now']]) {
      await expect(command(...words)).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringContaining('GATEHOUSE_SECRET'),
      });
    }
    expect(await storedKids()).toEqual(kids);
  });
});

describe('rotation by age', () => {
  ownHouse();

  it('makes one new key although two apis see the age at once', async () => {
    const replica = await startReplica(instance);
    const blocker = await instance.db.connect();
    try {
      const [first] = await storedKids();
      // Updates pass this lock; the one under which a key is made waits.
      await blocker.query('BEGIN');
      await blocker.query('LOCK TABLE signing_keys IN ROW EXCLUSIVE MODE');
      await passTime(first!, '90 days');
      await eventually('both apis wanting to make a key', async () => {
        const [row] = await instance.sql(
          `SELECT count(*)::int AS count FROM pg_locks
           WHERE relation = 'signing_keys'::regclass AND mode = 'ShareRowExclusiveLock' AND NOT granted`,
        );
        return row!['count'] === 2;
      });
      await blocker.query('COMMIT');

      for (const baseUrl of [instance.baseUrl, replica.baseUrl]) {
        await eventually('the new key', async () => (await jwks(baseUrl)).length > 1);
        expect((await jwks(baseUrl)).map(({ kid }) => kid)).toEqual(await storedKids());
      }
      expect(await storedKids()).toHaveLength(2);
      expect(kidOf(await register())).toBe(first);
      const logged = [instance.api, replica.process].flatMap(({ log }) =>
        log.filter(({ message }) => message === 'a new signing key is published'),
      );
      expect(logged.filter(({ kid }) => kid !== first)).toHaveLength(1);
    } finally {
      blocker.release(true);
      await replica.process.end();
    }
  });

  it('makes one new key when two apis start at once on a ring that is too old', async () => {
    await instance.api.end();
    const [first] = await storedKids();
    await passTime(first!, '91 days');
    instance.startApi();
    const replica = await startReplica(instance);
    await instance.ready();
    expect(await storedKids()).toHaveLength(2);
    await replica.process.end();
  });
});

describe('with one key', () => {
  sharedHouse();

  describe('what others do with the keys', () => {
    it('TK-02, TK-04: jose verifies a token offline, with issuer, audience and type', async () => {
      const tokens = await register();
      const options = {
        issuer: instance.baseUrl,
        audience: instance.credentials.projectId,
        typ: 'at+jwt',
        algorithms: ['ES256'],
      };
      const remote = createRemoteJWKSet(new URL(`${instance.baseUrl}/.well-known/jwks.json`));
      const { payload } = await jwtVerify(tokens.accessToken, remote, options);
      expect(payload.exp! - payload.iat!).toBe(tokens.expiresIn);
      expect(tokens.expiresIn).toBe(3600);

      const local = createLocalJWKSet({ keys: await jwks() });
      await jwtVerify(tokens.accessToken, local, options);
      for (const wrong of [{ issuer: 'https://eve.example' }, { audience: randomUUID() }, { typ: 'JWT' }]) {
        await expect(jwtVerify(tokens.accessToken, local, { ...options, ...wrong })).rejects.toThrow();
      }
    });

    it('TK-04: the life of a token is the one that the project sets', async () => {
      await instance.sql(`UPDATE projects SET settings = settings || '{"accessTokenTtl": 61}'`);
      const { accessToken, expiresIn } = await register();
      const { exp, iat } = decodeJwt(accessToken);
      expect([expiresIn, exp! - iat!]).toEqual([61, 61]);
      await instance.sql(`UPDATE projects SET settings = settings || '{"accessTokenTtl": 3600}'`);
    });
  });

  describe('tokens with a genuine signature that say something else', () => {
    /** The key that signs, opened with the instance's root secret. */
    const signer = async (): Promise<{ kid: string; key: KeyObject }> => {
      const [row] = await instance.sql<{ kid: string; private_key: Buffer }>('SELECT * FROM signing_keys');
      const keyring = new Keyring([instance.env['GATEHOUSE_SECRET']!]);
      return {
        kid: row!.kid,
        key: createPrivateKey(keyring.decrypt('signing-key', row!.kid, row!.private_key)),
      };
    };

    it('TK-01, TK-02, TK-04: /me checks every claim and header', async () => {
      const mine = await register();
      const other = await register();
      const stranger = await insertOrganization(instance);
      const { kid, key } = await signer();
      const claims = decodeJwt(mine.accessToken);
      const sign = async (changed: object, header: object = {}): Promise<Pick<Tokens, 'accessToken'>> => ({
        accessToken: await new SignJWT({ ...claims, ...changed })
          .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid, ...header })
          .sign(key),
      });
      const now = Math.floor(Date.now() / 1000);
      expect(await me(await sign({}))).toBe(200);
      const changes: [string, object, object?][] = [
        ['another project', { aud: stranger.projectId }],
        ['another customer', { sub: decodeJwt(other.accessToken).sub }],
        ['another session', { sid: decodeJwt(other.accessToken)['sid'] }],
        ['another issuer', { iss: 'https://eve.example' }],
        ['no audience', { aud: undefined }],
        ['no token id', { jti: undefined }],
        ['no expiry', { exp: undefined }],
        ['expired', { exp: now - 60 }],
        ['another type', {}, { typ: 'JWT' }],
        ['an unknown key', {}, { kid: 'unknown' }],
        [
          'a key that it names itself',
          {},
          { kid: undefined, jku: `${instance.baseUrl}/.well-known/jwks.json` },
        ],
      ];
      for (const [what, changed, header] of changes) {
        const { accessToken } = await sign(changed, header);
        const answer = await instance.customer(accessToken, 'GET', '/api/v1/me');
        expect({ what, status: answer.status, code: answer.body.code }).toEqual({
          what,
          status: 401,
          code: 'invalid_access_token',
        });
        expect(answer.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
      }
    });
  });

  describe('custom claims', () => {
    it('TK-02: carries the named keys of publicMetadata, nothing private and nothing reserved', async () => {
      const names = ['plan', 'sub', 'iss', 'exp', 'email_verified', 'metadata', 'secret', 'absent'];
      await instance.sql(`UPDATE projects SET settings = settings || $1`, [
        JSON.stringify({ accessTokenClaims: names }),
      ]);
      const email = uniqueEmail();
      const { body } = await instance.register(email);
      await instance.sql(`UPDATE customers SET public_metadata = $2, metadata = $3 WHERE id = $1`, [
        body.customer.id,
        JSON.stringify({ plan: { name: 'pro' }, sub: 'forged', iss: 'forged', exp: 1, email_verified: true }),
        JSON.stringify({ secret: 'hidden', plan: 'hidden' }),
      ]);
      const login = tokensOf(await instance.login(email));
      for (const tokens of [login, await refresh(login)]) {
        expect(decodeJwt(tokens.accessToken)).toEqual({
          iss: instance.baseUrl,
          aud: instance.credentials.projectId,
          sub: body.customer.id,
          sid: expect.any(String),
          jti: expect.any(String),
          iat: expect.any(Number),
          exp: expect.any(Number),
          email_verified: false,
          plan: { name: 'pro' },
        });
        expect(await me(tokens)).toBe(200);
      }
    });
  });

  it('serves public members only, for caches to keep', async () => {
    await command('rotate-signing-key');
    const answer = await eventually('two keys', async () => {
      const candidate = await instance.request('GET', '/.well-known/jwks.json');
      return candidate.body.keys.length === 2 && candidate;
    });
    for (const key of answer.body.keys) {
      expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
    }
    expect(answer.headers.get('cache-control')).toBe('public, max-age=300');
  });
});

describe('a new root secret', () => {
  ownHouse();

  it('CF-04: set before the old one, it ends no token; new keys are sealed with it', async () => {
    const before = await register();
    const first = kidOf(before);
    await instance.api.end();
    const old = instance.env['GATEHOUSE_SECRET']!;
    const fresh = Buffer.from(randomUUID() + randomUUID()).toString('base64url');
    instance.env['GATEHOUSE_SECRET'] = `${fresh},${old}`;
    instance.startApi();
    await instance.ready();
    expect(await me(before)).toBe(200);
    const renewed = await refresh(before);
    expect(kidOf(renewed)).toBe(first);

    await command('rotate-signing-key');
    const [row] = await instance.sql('SELECT * FROM signing_keys WHERE kid <> $1', [first]);
    const open = (secret: string): string =>
      new Keyring([secret]).decrypt('signing-key', row!['kid'], row!['private_key']);
    expect(() => open(old)).toThrow('GATEHOUSE_SECRET');
    expect(createPrivateKey(open(fresh)).asymmetricKeyType).toBe('ec');
  });
});
