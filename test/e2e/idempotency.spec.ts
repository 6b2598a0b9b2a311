import { createHash, randomUUID } from 'node:crypto';
import { registerCustomer, type Tokens } from '../support/customers.js';
import { eventually } from '../support/eventually.js';
import { bearerHeader, TestInstance, PASSWORD, type TestResponse } from '../support/test-instance.js';
import { retryWhileRejected } from '../support/retry-while-rejected.js';
import { createProjectFixture, resourceKindsByInput } from '../support/project-fixture.js';
import { Receiver } from '../support/receiver.js';
import {
  listDocumentedRoutes,
  fillPath,
  fixedPathValues,
  sampleBody,
  type Route,
} from '../support/routes.js';
import { dumpTables } from '../support/dump-tables.js';
import { insertKey, insertOrganization, insertProject } from '../support/tenants.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.startShared()));
afterAll(async () => instance?.stop());

const postAs = (
  credential: string,
  path: string,
  key: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<TestResponse> =>
  instance.request('POST', path, {
    body,
    headers: { authorization: `Bearer ${credential}`, 'idempotency-key': key, ...headers },
  });
const post = (path: string, key: string, body?: unknown, headers: Record<string, string> = {}) =>
  postAs(instance.credentials.secretKey, path, key, body, headers);
const create = (key: string, body: unknown): Promise<TestResponse> => post('/api/v1/customers', key, body);
const isReplayed = ({ headers }: TestResponse): boolean => headers.get('idempotent-replayed') === 'true';
const count = async (email: string): Promise<number> =>
  (await instance.sql('SELECT 1 FROM customers WHERE email = $1', [email])).length;

describe('a POST with a secret key and an Idempotency-Key (HD-04)', () => {
  it('runs once: a repeated request returns the same status and body', async () => {
    const [key, email] = [randomUUID(), uniqueEmail()];
    const first = await create(key, { email, metadata: { a: 1 } });
    const second = await create(key, { email, metadata: { a: 1 } });
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body).toEqual(first.body);
    expect([isReplayed(first), isReplayed(second)]).toEqual([false, true]);
    expect(isReplayed(await create(key, { metadata: { a: 1 }, email }))).toBe(true);
    expect(await instance.events(first.body.id, 'customer.created')).toHaveLength(1);
  });

  it('replays a response only for the same route, project and API key', async () => {
    const [key, email] = [randomUUID(), uniqueEmail()];
    const { body } = await create(key, { email });
    const reused = { status: 422, body: { code: 'idempotency_key_reused' } };
    expect(await create(key, { email: uniqueEmail() })).toMatchObject(reused);
    const path = `/api/v1/customers/${body.id}/disable`;
    const own = await post(path, key);
    expect(own.status).toBe(200);
    expect(await post(`/api/v1/customers/${randomUUID()}/disable`, key)).toMatchObject(reused);

    const withProjectKey = await postAs(instance.credentials.projectSecretKey, '/api/v1/customers', key, {
      email,
    });
    expect(withProjectKey).toMatchObject(reused);
    expect(JSON.stringify(withProjectKey.body)).not.toContain(email);

    const { organizationId } = instance.credentials;
    for (const other of [await insertProject(instance, organizationId), await insertOrganization(instance)]) {
      const foreign = await postAs(other.secretKey, path, key);
      expect([foreign.status, isReplayed(foreign)]).toEqual([404, false]);
      expect(JSON.stringify(foreign.body)).not.toContain(body.id);
      expect(await postAs(other.secretKey, '/api/v1/customers', key, { email })).toMatchObject({
        status: 201,
        body: { projectId: other.projectId },
      });
    }
    const repeated = await post(path, key);
    expect([repeated.body, isReplayed(repeated)]).toEqual([own.body, true]);
  });

  it('replays a new API key only to the key that created it', async () => {
    const { projectId } = instance.credentials;
    const tenant = { ...instance.credentials, type: 'secret' } as const;
    const privilegedKey = await insertKey(instance, {
      ...tenant,
      scopes: ['api_key:write', 'customer:read'],
    });
    const equalKey = await insertKey(instance, { ...tenant, scopes: ['api_key:write', 'customer:read'] });
    const restrictedKey = await insertKey(instance, { ...tenant, scopes: ['api_key:write'] });
    const key = randomUUID();
    const createKey = (credential: string): Promise<TestResponse> =>
      postAs(credential, `/api/v1/projects/${projectId}/api-keys`, key, {
        name: 'minted',
        scopes: ['customer:read'],
      });
    const createdKey = await createKey(privilegedKey);
    expect(createdKey).toMatchObject({ status: 201 });
    for (const otherKey of [equalKey, restrictedKey]) {
      const rejected = await createKey(otherKey);
      expect(rejected).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
      expect(JSON.stringify(rejected.body)).not.toContain(createdKey.body.key);
    }
    const repeated = await createKey(privilegedKey);
    expect([repeated.body, isReplayed(repeated)]).toEqual([createdKey.body, true]);
  });

  it('does not replay a response to the same request from another customer', async () => {
    const key = randomUUID();
    const [first, second] = [await registerCustomer(instance), await registerCustomer(instance)];
    const logout = ({ accessToken }: Tokens) =>
      postAs(accessToken, '/api/v1/auth/logout', key, undefined, {
        'x-api-key': instance.credentials.projectSecretKey,
      });
    expect((await logout(first.tokens)).status).toBe(204);
    expect(await logout(second.tokens)).toMatchObject({ status: 422 });
    const me = [first, second].map(({ tokens }) =>
      instance.requestWithAccessToken(tokens.accessToken, 'GET', '/api/v1/me'),
    );
    expect((await Promise.all(me)).map(({ status }) => status)).toEqual([401, 200]);
  });

  it('runs only one of 20 concurrent requests; the others get 409 or the same response', async () => {
    const [key, email] = [randomUUID(), uniqueEmail()];
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => retryWhileRejected(() => create(key, { email }))),
    );
    const created = responses.filter((response) => response.status === 201 && !isReplayed(response));
    expect(created).toHaveLength(1);
    for (const response of responses.filter((each) => each !== created[0])) {
      if (response.status === 201) expect(response.body).toEqual(created[0]!.body);
      else {
        expect(response).toMatchObject({ status: 409, body: { code: 'idempotency_in_progress' } });
        expect(response.headers.get('retry-after')).toBe('1');
      }
    }
    expect(await count(email)).toBe(1);
    expect((await create(key, { email })).body).toEqual(created[0]!.body);
  });

  it('replays 404, 409 and 422 unchanged, and no other error', async () => {
    const email = uniqueEmail();
    await create(randomUUID(), { email });
    for (const [path, body, status] of [
      ['/api/v1/customers', { email }, 409],
      ['/api/v1/customers', { email: uniqueEmail(), password: 'vq7#Kz' }, 422],
      [`/api/v1/customers/${randomUUID()}/disable`, undefined, 404],
    ] as const) {
      const key = randomUUID();
      const [first, second] = [await post(path, key, body), await post(path, key, body)];
      expect([first.status, second.status, isReplayed(second)]).toEqual([status, status, true]);
      expect(second.body).toEqual(first.body);
      expect(second.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    }
    const key = randomUUID();
    const invalid = [await create(key, { email: 'nonsense' }), await create(key, { email: 'nonsense' })];
    expect(invalid.map((response) => [response.status, isReplayed(response)])).toEqual([
      [400, false],
      [400, false],
    ]);
    expect((await create(key, { email: uniqueEmail() })).status).toBe(201);
  });

  it('rejects a key that is empty, too long, or not printable ASCII without spaces', async () => {
    const email = uniqueEmail();
    for (const key of ['', ' ', 'x'.repeat(256), 'with space', 'ünïcode']) {
      expect([key, (await create(key, { email })).status]).toEqual([key, 400]);
    }
    expect(await count(email)).toBe(0);
  });

  it('does not store a hash from which a password could be guessed (PW-06)', async () => {
    const [key, email] = [randomUUID(), uniqueEmail()];
    const body = { email, password: PASSWORD };
    expect((await create(key, body)).status).toBe(201);
    const fingerprints = await instance.sql<{ fingerprint: Buffer }>(
      'SELECT fingerprint FROM idempotency_keys',
    );
    for (const text of [JSON.stringify(body), JSON.stringify(['/api/v1/customers', body])]) {
      const hash = createHash('sha256').update(text).digest();
      expect(fingerprints.some(({ fingerprint }) => fingerprint.equals(hash))).toBe(false);
    }
  });

  it('replays a registration with its tokens until the refresh token is used', async () => {
    const [key, email] = [randomUUID(), uniqueEmail()];
    const register = () => post('/api/v1/auth/register', key, { email, password: PASSWORD });
    const first = await register();
    expect(first.status).toBe(201);
    expect((await register()).body).toEqual(first.body);
    const { refreshToken } = first.body.tokens;
    const refreshed = await instance.request('POST', '/api/v1/auth/refresh', { body: { refreshToken } });
    expect(refreshed.status).toBe(200);
    expect((await register()).body).toEqual({ ...first.body, tokens: null });
    const accessToken = refreshed.body.tokens.accessToken as string;
    expect((await instance.requestWithAccessToken(accessToken, 'GET', '/api/v1/me')).status).toBe(200);
    const [row] = await instance.sql(
      `SELECT string_agg(encode(answer, 'escape'), '') AS text FROM idempotency_keys`,
    );
    expect(row!['text']).not.toContain(refreshToken);
  });

  it('resumes an interrupted request, and stores a response for a day', async () => {
    const [key, email] = [randomUUID(), uniqueEmail()];
    const first = await create(key, { email });
    await instance.sql('UPDATE idempotency_keys SET answer = NULL');
    expect((await create(key, { email })).body.code).toBe('idempotency_in_progress');
    await instance.sql(`UPDATE idempotency_keys SET started_at = now() - interval '21 seconds'`);
    expect((await create(key, { email })).body).toMatchObject({
      code: 'email_already_registered',
      customerId: first.body.id,
    });
    await instance.sql(`UPDATE idempotency_keys SET started_at = now() - interval '25 hours'`);
    expect((await create(key, { email: uniqueEmail() })).status).toBe(201);
  });

  it('EV-07: does not hold a transaction open while a response is delayed to hide its timing', async () => {
    const publishableKeyHeader = { 'x-publishable-key': instance.credentials.publishableKey };
    const hasIdleTransaction = async (): Promise<boolean> => {
      const idle = await instance.sql(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'
           AND state_change < clock_timestamp() - interval '50 ms'`,
      );
      return idle.length > 0;
    };
    // On a busy machine, a transaction may stay idle for that long. A delay inside a transaction would affect every
    // request.
    await eventually(
      'a response without an idle transaction',
      async () => {
        const email = uniqueEmail();
        await create(randomUUID(), { email });
        let hasResponse = false;
        let hadIdleTransaction = false;
        const response = post('/api/v1/auth/forgot-password', randomUUID(), { email }, publishableKeyHeader);
        void response.finally(() => (hasResponse = true));
        while (!hasResponse) hadIdleTransaction = (await hasIdleTransaction()) || hadIdleTransaction;
        expect((await response).status).toBe(202);
        return !hadIdleTransaction;
      },
      30,
    );
  });
});

it('a POST with only a publishable key ignores the header Idempotency-Key', async () => {
  const [key, email] = [randomUUID(), uniqueEmail()];
  const login = () => instance.login(email, PASSWORD, { 'idempotency-key': key });
  await instance.register(email);
  const [first, second] = [await login(), await login()];
  expect([first.status, second.status, isReplayed(second)]).toEqual([200, 200, false]);
  expect(second.body.tokens.refreshToken).not.toBe(first.body.tokens.refreshToken);
});

it('every POST rejects an ill-formed Idempotency-Key, even without a secret key', async () => {
  const { email, tokens } = await registerCustomer(instance);
  const send = (path: string, body: object | undefined, key: string) =>
    instance.request('POST', `/api/v1/${path}`, {
      body,
      headers: {
        ...(path.startsWith('me/')
          ? bearerHeader(tokens.accessToken)
          : { 'x-publishable-key': instance.credentials.publishableKey }),
        'idempotency-key': key,
      },
    });
  const requests: [string, object | undefined, number][] = [
    ['me/password', { currentPassword: PASSWORD, newPassword: 'quite another phrase' }, 204],
    ['me/reauthenticate', { method: 'password', password: 'quite another phrase' }, 200],
    ['auth/login', { email, password: 'quite another phrase' }, 200],
    ['auth/forgot-password', { email }, 202],
    ['auth/verify-email', { token: 'x'.repeat(43) }, 400],
  ];
  for (const [path, body, status] of requests) {
    for (const key of ['', 'x'.repeat(256), 'with space', 'ünïcode'])
      expect([path, key, await send(path, body, key)]).toMatchObject([
        path,
        key,
        { status: 400, body: { code: 'validation_failed', errors: [{ field: 'Idempotency-Key' }] } },
      ]);
    expect([path, (await send(path, body, randomUUID())).status]).toEqual([path, status]);
  }
});

it('each documented POST with a secret key commits once, together with its response (HD-04)', async () => {
  const receiver = await Receiver.start();
  const failingKey = randomUUID();
  await instance.sql(`
    CREATE FUNCTION reject_response() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'rejected'; END $$;
    CREATE TRIGGER reject_response BEFORE UPDATE OF answer ON idempotency_keys FOR EACH ROW
      WHEN (NEW.key_hash = sha256('${failingKey}')) EXECUTE FUNCTION reject_response()`);
  try {
    const owner = await insertOrganization(instance);
    const { resources, organization } = await createProjectFixture(instance, owner, receiver);
    const spare = [
      await insertProject(instance, owner.organizationId),
      await insertProject(instance, owner.organizationId),
    ].map(({ projectId }) => projectId);
    // From here on, only requests write to the database.
    await Promise.all(instance.workers.map((worker) => worker.stop()));
    await instance.sql(`UPDATE api_keys SET last_used_at = now() + interval '1 hour'`);

    /** Reverts one route's changes, so that they do not affect the next route. */
    const restore = () =>
      instance.sql(`
        DELETE FROM deliveries WHERE state = 'pending';
        UPDATE deliveries SET resolution = NULL, redelivered_as = NULL WHERE state = 'failed';
        UPDATE webhook_endpoints SET status = 'enabled' WHERE status = 'disabled';
        UPDATE redelivery_batches SET state = 'planned', started_at = NULL, finished_at = NULL`);
    const idsFor = (route: Route, name: string): string[] => {
      if (route.name.endsWith('/archive')) return spare;
      const ids = resources[resourceKindsByInput[name]![0]!]!;
      // Only customers without a password can be invited. The last ids belong to such customers.
      return route.name.endsWith('/invite') ? ids.slice(-2) : ids;
    };
    const pathOf = (route: Route, index: number): string =>
      fillPath(
        route.path,
        Object.fromEntries(
          route.inputs
            .filter((input) => input.in === 'path' && !(input.name in fixedPathValues))
            .map(({ name }) => [name, idsFor(route, name)[index]!]),
        ),
      );
    const routes = (await listDocumentedRoutes(instance)).filter(
      ({ method, kinds }) => method === 'POST' && kinds.includes('secret'),
    );
    expect(routes.length).toBeGreaterThan(10);
    for (const route of routes) {
      const { name } = route;
      expect({ name, headers: route.inputs.filter((input) => input.in === 'header') }).toMatchObject({
        headers: expect.arrayContaining([expect.objectContaining({ name: 'Idempotency-Key' })]),
      });
      const key = randomUUID();
      const body = sampleBody(route);
      const send = (path: string, sent: unknown, sentKey = key) =>
        postAs(organization.credentials.secret!, path, sentKey, sent);
      await restore();
      const unchanged = await dumpTables(instance);
      const failed = await send(pathOf(route, 0), body, failingKey);
      expect([name, failed.status, (await dumpTables(instance)) === unchanged]).toEqual([name, 500, true]);
      const first = await send(pathOf(route, 0), body);
      expect([name, first.status < 300 || first.body, isReplayed(first)]).toEqual([name, true, false]);
      const before = await dumpTables(instance);
      const repeated = await send(pathOf(route, 0), body);
      expect([name, repeated.status, repeated.body, isReplayed(repeated)]).toEqual([
        name,
        first.status,
        first.body,
        true,
      ]);
      // Without a body, only the resource in the path distinguishes a request.
      const changed = await send(pathOf(route, body ? 0 : 1), body && sampleBody(route));
      expect([name, changed.status, changed.body.code, isReplayed(changed)]).toEqual([
        name,
        422,
        'idempotency_key_reused',
        false,
      ]);
      expect([name, (await dumpTables(instance)) === before]).toEqual([name, true]);
    }
  } finally {
    await instance.sql('DROP FUNCTION reject_response CASCADE');
    await receiver.stop();
  }
});
