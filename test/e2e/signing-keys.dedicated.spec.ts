import { createPrivateKey, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose';
import * as customers from '../support/customers.js';
import type { Tokens } from '../support/customers.js';
import { checkCases } from '../support/check-cases.js';
import { eventually } from '../support/eventually.js';
import { Keyring } from '../support/platform.js';
import { TestInstance, bearerHeader, type TestResponse } from '../support/test-instance.js';
import { commitWhenOthersWait } from '../support/with-concurrent-change.js';
import { runGatehouse } from '../support/run-gatehouse.js';
import { startReplica } from '../support/start-replica.js';
import type { ServerProcess } from '../support/server-process.mjs';
import { insertOrganization } from '../support/tenants.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
type Replica = Awaited<ReturnType<typeof startReplica>>;
/** Two replicas with two root secrets: a newer one, and the shared API process's secret after it. */
let replicas: Replica[] = [];
/** The key ring after the first start, as JSON. */
let firstRing: string;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  const [row] = await instance.sql<{ ring: string }>('SELECT json_agg(k)::text AS ring FROM signing_keys k');
  firstRing = row!.ring;
});
afterAll(async () => instance?.stop());

/** Makes API processes reload the key ring, as they do every minute. Retries if a lock is not free in time. */
const reloadKeys = async (
  apiProcesses = [instance.api, ...replicas.map(({ process }) => process)],
): Promise<void> => {
  const read = (api: ServerProcess) =>
    eventually('the signing keys to be read', () =>
      api.runCommand('reload-signing-keys').then(
        () => true,
        () => false,
      ),
    );
  await Promise.all(apiProcesses.map(read));
};
const restoreKeys = async (): Promise<void> => {
  await instance.sql('DELETE FROM signing_keys');
  await instance.sql(
    'INSERT INTO signing_keys SELECT * FROM json_populate_recordset(NULL::signing_keys, $1)',
    [firstRing],
  );
  await reloadKeys();
};

/**
 * Runs a `gatehouse` command and returns its output.
 * @throws Error with `stderr` and `code` unless it exits with 0
 */
const runCommand = (args: string[], env?: Record<string, string>): Promise<string> =>
  runGatehouse(instance, args, env);

const getTokens = ({ status, body }: TestResponse): Tokens & { expiresIn: number } => {
  if (!body.tokens) throw new Error(`no tokens in ${status} ${JSON.stringify(body)}`);
  return body.tokens;
};
const register = async () => getTokens(await instance.register());
const refresh = async ({ refreshToken }: Tokens, baseUrl?: string) =>
  getTokens(await customers.refreshSession(instance, refreshToken, baseUrl));
const getMe = (accessToken: string, baseUrl = instance.baseUrl): Promise<TestResponse> =>
  instance.request('GET', '/api/v1/me', { headers: bearerHeader(accessToken), baseUrl });
const getMeStatus = async ({ accessToken }: Tokens, baseUrl?: string) =>
  (await getMe(accessToken, baseUrl)).status;

const getKid = ({ accessToken }: Tokens): string => decodeProtectedHeader(accessToken).kid!;
const getJwks = async (baseUrl = instance.baseUrl): Promise<Record<string, string>[]> =>
  (await instance.request('GET', '/.well-known/jwks.json', { baseUrl })).body.keys;
const listPublishedKids = async (baseUrl?: string) => (await getJwks(baseUrl)).map(({ kid }) => kid!);
/** Returns the two kids under which each signing key is published. */
const listPublicKids = (...kids: (string | undefined)[]): string[] =>
  kids.flatMap((kid) => [kid!, `${kid}-rsa`]);
const listStoredKids = async (): Promise<string[]> =>
  (await instance.sql('SELECT kid FROM signing_keys ORDER BY activates_at DESC')).map(({ kid }) => kid);

/** Makes a key's activation time earlier by this interval. */
const ageKey = (kid: string, interval: string): Promise<unknown> =>
  instance.sql(`UPDATE signing_keys SET activates_at = activates_at - $2::interval WHERE kid = $1`, [
    kid,
    interval,
  ]);

it('TK-01, TK-02, TK-04: /me checks all claims and headers of a validly signed token', async () => {
  const [customerTokens, other] = [await register(), await register()];
  const otherTenant = await insertOrganization(instance);
  // Decrypts the active signing key with the instance's root secret.
  const [row] = await instance.sql<{ kid: string; private_key: Buffer }>('SELECT * FROM signing_keys');
  const { kid } = row!;
  const keyring = new Keyring([instance.env['GATEHOUSE_SECRET']!]);
  const key = createPrivateKey(keyring.decrypt('signing-key', kid, row!.private_key));
  const claims = decodeJwt(customerTokens.accessToken);
  const sign = (changed: object, header: object = {}): Promise<string> =>
    new SignJWT({ ...claims, ...changed })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid, ...header })
      .sign(key);
  const now = Math.floor(Date.now() / 1000);
  expect((await getMe(await sign({}))).status).toBe(200);
  const changes: [string, object, object?][] = [
    ['another project', { aud: otherTenant.projectId }],
    ['another customer', { sub: decodeJwt(other.accessToken).sub }],
    ['another session', { sid: decodeJwt(other.accessToken)['sid'] }],
    ['another issuer', { iss: 'https://eve.example' }],
    ['no audience', { aud: undefined }],
    ['no token id', { jti: undefined }],
    ['no expiry', { exp: undefined }],
    ['expired', { exp: now - 60 }],
    ['another type', {}, { typ: 'JWT' }],
    ['an unknown key', {}, { kid: 'unknown' }],
    ['a key URL in the token', {}, { kid: undefined, jku: `${instance.baseUrl}/.well-known/jwks.json` }],
  ];
  await checkCases(
    changes.map(([name, changed, header]) => [name, changed, header] as const),
    async (changed, header) => {
      const response = await getMe(await sign(changed, header));
      expect(response).toMatchObject({ status: 401, body: { code: 'invalid_access_token' } });
      expect(response.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    },
  );
});

it('TK-02, TK-04: a token contains only documented claims and listed publicMetadata keys', async () => {
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
  const login = getTokens(await instance.login(email));
  for (const tokens of [login, await refresh(login)]) {
    const claims = decodeJwt(tokens.accessToken);
    expect([claims.exp! - claims.iat!, tokens.expiresIn]).toEqual([3600, 3600]);
    expect(claims).toEqual({
      iss: instance.baseUrl,
      aud: instance.credentials.projectId,
      sub: body.customer.id,
      sid: expect.any(String),
      jti: expect.any(String),
      iat: expect.any(Number),
      exp: expect.any(Number),
      email_verified: false,
      amr: ['pwd'],
      auth_time: expect.any(Number),
      plan: { name: 'pro' },
    });
    expect(decodeProtectedHeader(tokens.accessToken)).toEqual({
      alg: 'ES256',
      typ: 'at+jwt',
      kid: expect.any(String),
    });
    expect(await getMeStatus(tokens)).toBe(200);
  }
});

describe('rotation', () => {
  const newSecret = Buffer.from(randomUUID() + randomUUID()).toString('base64url');
  afterEach(restoreKeys);

  it('CF-04: creates one key on two replicas with a new root secret, and tokens stay valid', async () => {
    const oldTokens = await register();
    const [firstKid] = await listStoredKids();
    const oldSecret = instance.env['GATEHOUSE_SECRET']!;
    const env = { GATEHOUSE_SECRET: `${newSecret},${oldSecret}`, PERIODIC_JOBS: 'off' };
    await ageKey(firstKid!, '91 days');
    replicas = await Promise.all([startReplica(instance, env), startReplica(instance, env)]);
    expect(await listStoredKids()).toHaveLength(2);
    const { baseUrl } = replicas[0]!;
    expect(await getMeStatus(oldTokens, baseUrl)).toBe(200);
    const renewed = await refresh(oldTokens, baseUrl);
    expect(getKid(renewed)).toBe(firstKid);

    const [row] = await instance.sql('SELECT * FROM signing_keys WHERE kid <> $1', [firstKid]);
    const decryptKey = (secret: string): string =>
      new Keyring([secret]).decrypt('signing-key', row!['kid'], row!['private_key']);
    expect(() => decryptKey(oldSecret)).toThrow('GATEHOUSE_SECRET');
    expect(createPrivateKey(decryptKey(newSecret)).asymmetricKeyType).toBe('ec');
  });

  it('creates one key if two API processes rotate an old key concurrently', async () => {
    const tokens = await register();
    const [firstKid] = await listStoredKids();
    const apiProcesses = replicas.map(({ process }) => process);
    const blocker = await instance.db.connect();
    try {
      // Allows updates, but blocks the creation of keys.
      await blocker.query('BEGIN');
      await blocker.query('LOCK TABLE signing_keys IN ROW EXCLUSIVE MODE');
      await ageKey(firstKid!, '90 days');
      await Promise.all([reloadKeys(apiProcesses), commitWhenOthersWait(blocker, 2)]);
    } finally {
      blocker.release(true);
    }
    // Now the API process that created no key reads the new one.
    await reloadKeys(apiProcesses);
    const kids = await listStoredKids();
    expect(kids).toHaveLength(2);
    for (const { baseUrl } of replicas)
      expect(await listPublishedKids(baseUrl)).toEqual(listPublicKids(...kids));
    expect(getKid(await refresh(tokens, replicas[0]!.baseUrl))).toBe(firstKid);
    const findLines = () =>
      [instance.api, ...apiProcesses].flatMap(({ log }) =>
        log.filter(({ message, kid }) => message === 'signing key published' && kid === kids[0]),
      );
    await eventually('the log line', () => findLines().length > 0);
    expect(findLines()).toHaveLength(1);
  });

  it('adds one RSA key to a key from the previous version if two processes load it concurrently', async () => {
    const [kid] = await listStoredKids();
    await instance.sql('UPDATE signing_keys SET rsa_private_key = NULL WHERE kid = $1', [kid]);
    const blocker = await instance.db.connect();
    try {
      await blocker.query('BEGIN');
      await blocker.query('SELECT FROM signing_keys FOR UPDATE');
      const apiProcesses = replicas.map(({ process }) => process);
      await Promise.all([reloadKeys(apiProcesses), commitWhenOthersWait(blocker, 2)]);
    } finally {
      blocker.release(true);
    }
    const [jwks, other] = await Promise.all(replicas.map(({ baseUrl }) => getJwks(baseUrl)));
    expect(jwks!.map((key) => key['kid'])).toContain(`${kid}-rsa`);
    expect(other).toEqual(jwks);
  });

  it('CF-04: publishes the next key before its use, and the previous one until its tokens expire', async () => {
    const oldTokens = await register();
    const firstKid = getKid(oldTokens);
    const output = await runCommand(['rotate-signing-key']);
    const [, nextKid, activatesAt] =
      /signing key (\S+) is published\. Each running API process starts to sign with it within a minute after\n(\S+)\. /.exec(
        output,
      )!;
    const stored = await instance.sql(
      `SELECT round(extract(epoch FROM activates_at - created_at))::int AS seconds,
         activates_at = $2::timestamptz AS "isAsPrinted" FROM signing_keys WHERE kid = $1`,
      [nextKid, activatesAt],
    );
    expect(stored).toEqual([{ seconds: 15 * 60, isAsPrinted: true }]);

    await reloadKeys();
    expect(await listPublishedKids()).toEqual(listPublicKids(nextKid, firstKid));
    expect(getKid(await register())).toBe(firstKid);

    await ageKey(nextKid!, '15 minutes');
    await reloadKeys();
    expect(getKid(await register())).toBe(nextKid);
    const { headers, body } = await instance.request('GET', '/.well-known/jwks.json');
    expect(body.keys.map(({ kid }: { kid: string }) => kid)).toEqual(listPublicKids(nextKid, firstKid));
    for (const key of body.keys) {
      const members = key.kty === 'EC' ? ['crv', 'x', 'y'] : ['e', 'n'];
      expect(Object.keys(key).sort()).toEqual(['alg', 'kid', 'kty', 'use', ...members].sort());
    }
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    expect(await getMeStatus(oldTokens)).toBe(200);
    const renewed = await refresh(oldTokens);
    expect(getKid(renewed)).toBe(nextKid);
    expect(await getMeStatus(renewed)).toBe(200);

    // A token with a 24-hour lifetime, signed in the last minute of the first key, is still valid.
    await ageKey(firstKid, '2 days');
    await ageKey(nextKid!, '24 hours');
    await reloadKeys();
    expect(await listPublishedKids()).toEqual(listPublicKids(nextKid, firstKid));
    expect(await getMeStatus(oldTokens)).toBe(200);

    await ageKey(nextKid!, '1 hour');
    await reloadKeys();
    expect(await listPublishedKids()).toEqual(listPublicKids(nextKid));
    expect(await listStoredKids()).toEqual([nextKid]);
    expect(await getMeStatus(oldTokens)).toBe(401);
    expect(await getMeStatus(renewed)).toBe(200);
  });

  it('invalidates all access tokens on every replica with --now, but no session (SC-03)', async () => {
    const oldTokens = await register();
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-secrets-'));
    const env: Record<string, string> = {};
    for (const name of ['DATABASE_URL', 'GATEHOUSE_SECRET']) {
      await writeFile(join(folder, name), `${instance.env[name]}\n`);
      Object.assign(env, { [name]: '', [`${name}_FILE`]: join(folder, name) });
    }
    // When the command runs, a new key has been published but does not sign yet.
    await ageKey(getKid(oldTokens), '90 days');
    await reloadKeys([instance.api]);
    expect(await listStoredKids()).toHaveLength(2);
    const output = await runCommand(['rotate-signing-key', '--now'], env);
    await rm(folder, { recursive: true });
    const [, nextKid] = /signing key (\S+) starts to sign now/.exec(output)!;
    expect(output).toMatch(/within 60 seconds[\s\S]*may be\n300 seconds old/);
    expect(await listStoredKids()).toEqual([nextKid]);

    await reloadKeys();
    for (const baseUrl of [instance.baseUrl, replicas[0]!.baseUrl]) {
      expect(await listPublishedKids(baseUrl)).toEqual(listPublicKids(nextKid));
      const response = await getMe(oldTokens.accessToken, baseUrl);
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    }
    const renewed = await refresh(oldTokens);
    expect(getKid(renewed)).toBe(nextKid);
    expect(await getMeStatus(renewed)).toBe(200);
  });

  it('rejects unknown arguments, and a wrong root secret while an API process is running', async () => {
    const kids = await listStoredKids();
    const expectRejected = (args: string[], code: number, stderr: RegExp, env = {}) =>
      expect(runCommand(args, env)).rejects.toMatchObject({ code, stderr: expect.stringMatching(stderr) });
    const otherSecret = { GATEHOUSE_SECRET: newSecret };
    await Promise.all([
      expectRejected(['toString'], 2, /rotate-signing-key/),
      expectRejected(['rotate-signing-key'], 78, /^GATEHOUSE_SECRET cannot decrypt .+\n$/, otherSecret),
      expectRejected(
        ['rotate-signing-key', '--now'],
        1,
        /If the secret is lost, stop all API processes/,
        otherSecret,
      ),
    ]);
    expect(await listStoredKids()).toEqual(kids);
  });
});
