import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { eventually } from '../support/eventually.js';
import { TestInstance, PASSWORD, type Answer } from '../support/test-instance.js';
import { patiently } from '../support/patiently.js';
import { Receiver } from '../support/receiver.js';
import { insertKey, insertOrganization, insertProject } from '../support/tenants.js';

const PATH = '/api/v1/audit-log';
const DAY_MS = 86_400_000;

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.shared({ workerEnv: { PERIODIC_JOBS: 'off' } })));
afterAll(async () => instance?.stop());

type Entry = Record<string, any>;
type Filter = Record<string, string>;

const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });
const list = (filter: Filter = {}, key = instance.credentials.secretKey): Promise<Answer> =>
  instance.request('GET', `${PATH}?${new URLSearchParams(filter)}`, { headers: bearer(key) });
const entries = async (filter: Filter = {}, key?: string): Promise<Entry[]> =>
  (await list({ limit: '200', ...filter }, key)).body.data as Entry[];
const entriesOf = (answer: Answer): Promise<Entry[]> =>
  entries({ requestId: answer.headers.get('x-request-id')! });
const keyId = async (value = instance.credentials.secretKey): Promise<string> => {
  const hash = createHash('sha256').update(value).digest();
  return (await instance.sql('SELECT id FROM api_keys WHERE key_hash = $1', [hash]))[0]!['id'] as string;
};
const createCustomer = (headers: Record<string, string> = {}): Promise<Answer> =>
  instance.request('POST', '/api/v1/customers', {
    body: { email: `${randomUUID()}@example.com` },
    headers: { ...bearer(instance.credentials.secretKey), ...headers },
  });

/** A UUIDv7 of a moment. */
const idOf = (time: number): string =>
  time
    .toString(16)
    .padStart(12, '0')
    .replace(/^(.{8})(.{4})$/, '$1-$2') + randomUUID().slice(13).replace(/^-./, '-7');

describe('an entry of the audit log', () => {
  it('says who did what to what, from where, when, in which request', async () => {
    const before = Date.now();
    const customer = (await createCustomer()).body as Entry;
    const requestId = `r-${randomUUID()}`;
    await instance.request('POST', `/api/v1/customers/${customer['id']}/disable`, {
      headers: {
        ...bearer(instance.credentials.secretKey),
        'x-request-id': requestId,
        'user-agent': 'Shop/1.0',
      },
    });
    const answer = await list({ requestId });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer).toMatchObject({ status: 200, body: { nextCursor: null, hasMore: false } });
    expect(answer.body.data).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
        organizationId: instance.credentials.organizationId,
        projectId: instance.credentials.projectId,
        action: 'customer.disabled',
        actorType: 'key',
        actorId: await keyId(),
        targetType: 'customer',
        targetId: customer['id'],
        ip: '127.0.0.1',
        userAgent: 'Shop/1.0',
        requestId,
        details: {},
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
    ]);
    const at = Date.parse(answer.body.data[0].createdAt as string);
    expect(at).toBeGreaterThanOrEqual(before - 1);
    expect(at).toBeLessThanOrEqual(Date.now() + 1);
  });

  it('names the fields that changed, but no value of any, and nothing secret or personal', async () => {
    const secrets = ['Ada', 'Lovelace', 'ada-audit@example.com', PASSWORD, 'https://audit.example/hook'];
    const { body } = await instance.server('POST', '/api/v1/customers', {
      email: secrets[2],
      firstName: secrets[0],
      lastName: secrets[1],
      password: secrets[3],
    });
    await instance.server('PATCH', `/api/v1/projects/${instance.credentials.projectId}`, {
      name: 'Audited',
      settings: { accessTokenTtl: 600, branding: { color: '#123456' } },
    });
    const endpoint = await instance.createEndpoint('http://127.0.0.1:9/');
    await instance.server('PATCH', `/v1/webhooks/endpoints/${endpoint.id}`, { url: secrets[4] });
    const key = await instance.server('POST', `/api/v1/projects/${instance.credentials.projectId}/api-keys`, {
      name: 'Audited key',
      scopes: ['customer:read'],
    });
    const rotated = await instance.server(
      'POST',
      `/api/v1/projects/${instance.credentials.projectId}/api-keys/${key.body.id}/rotate`,
    );

    expect(await entries({ targetId: body.id as string })).toHaveLength(1);
    const [updated] = await entries({ action: 'project.updated' });
    expect(updated).toMatchObject({
      targetId: instance.credentials.projectId,
      details: { changed: ['name', 'settings.accessTokenTtl', 'settings.branding.color'] },
    });
    const [moved] = await entries({ action: 'webhook_endpoint.updated' });
    expect(moved).toMatchObject({ targetId: endpoint.id, details: { changed: ['url'] } });
    const [made, replaced] = [await entriesOf(key), await entriesOf(rotated)];
    expect(made[0]!['details']).toEqual({
      type: 'secret',
      access: 'organization',
      scopes: ['customer:read'],
    });
    expect(replaced[0]).toMatchObject({
      targetId: key.body.id,
      details: { successorId: rotated.body.id },
    });
    const text = JSON.stringify(await entries());
    const told = [...secrets, key.body.key, rotated.body.key, endpoint.secret, 'Audited', '#123456'];
    for (const secret of told) expect(text).not.toContain(secret);
  });

  it('names the customer who changed something of their own', async () => {
    const email = `${randomUUID()}@example.com`;
    const { body } = await instance.register(email);
    const { accessToken } = body.tokens as { accessToken: string };
    const id = body.customer.id as string;
    const actions = async (): Promise<string[]> =>
      (await entries({ actorType: 'customer', actorId: id, targetId: id })).map(({ action }) => action);
    expect(await entries({ targetId: id })).toEqual([]);

    const next = `${PASSWORD} again`;
    const me = (path: string, sent: unknown) =>
      instance.customer(accessToken, 'POST', `/api/v1/me${path}`, sent);
    expect((await instance.customer(accessToken, 'PATCH', '/api/v1/me', { firstName: 'Ada' })).status).toBe(
      200,
    );
    expect((await me('/password', { currentPassword: PASSWORD, newPassword: next })).status).toBe(204);
    const newEmail = `${randomUUID()}@example.com`;
    expect((await me('/email', { email: newEmail, password: next })).status).toBe(202);
    for (const [address, kind] of [
      [email, 'change-email-current'],
      [newEmail, 'change-email-new'],
    ] as const) {
      const token = await instance.token(address, kind);
      const confirm = { body: { token } };
      expect((await instance.request('POST', '/api/v1/auth/confirm-email-change', confirm)).status).toBe(200);
    }
    await instance.page('POST', '/api/v1/auth/forgot-password', { email: newEmail });
    const reset = { token: await instance.token(newEmail, 'reset-password'), password: `${next} and again` };
    expect((await instance.request('POST', '/api/v1/auth/reset-password', { body: reset })).status).toBe(204);
    const login = await instance.page('POST', '/api/v1/auth/login', {
      email: newEmail,
      password: reset.password,
    });
    expect(
      await instance.customer(login.body.tokens.accessToken, 'POST', '/api/v1/me/delete', {
        currentPassword: reset.password,
      }),
    ).toMatchObject({ status: 204 });
    expect(await actions()).toEqual([
      'customer.deleted',
      'customer.password_reset',
      'customer.email_changed',
      'customer.password_changed',
      'customer.updated',
    ]);
    expect(JSON.stringify(await entries({ targetId: id }))).not.toContain('@example.com');
  });

  it('is not made of logins, refreshes and logouts, which are events', async () => {
    const [count] = await instance.sql<{ n: number }>('SELECT count(*)::int AS n FROM audit_log');
    const email = `${randomUUID()}@example.com`;
    const { refreshToken } = (await instance.register(email)).body.tokens as { refreshToken: string };
    await instance.request('POST', '/api/v1/auth/refresh', { body: { refreshToken } });
    const { body } = await instance.page('POST', '/api/v1/auth/login', { email, password: PASSWORD });
    await instance.customer(body.tokens.accessToken, 'POST', '/api/v1/auth/logout', {});
    expect(await instance.sql('SELECT count(*)::int AS n FROM audit_log')).toEqual([count]);
  });

  it('names the instance itself for what it did without anybody, and who runs it reads so', async () => {
    const [first] = await instance.sql(
      `SELECT actor_id FROM audit_log WHERE action = 'organization.created' AND actor_type = 'system'`,
    );
    expect(first).toEqual({ actor_id: null });
    const stranger = await insertOrganization(instance);
    const child = await instance.server('POST', '/api/v1/organizations', {
      name: 'Child',
      slug: 'audit-child',
    });
    await promisify(execFile)(process.execPath, ['scripts/gatehouse.mjs', 'rotate-signing-key'], {
      env: { PATH: process.env['PATH']!, ...instance.env },
    });
    const kid = (await instance.sql('SELECT kid FROM signing_keys ORDER BY activates_at DESC'))[0]!['kid'];
    const rotated = await entries({ action: 'signing_key.rotated' });
    expect(rotated).toMatchObject([
      {
        actorType: 'system',
        actorId: null,
        targetType: 'signing_key',
        targetId: kid,
        ip: null,
        userAgent: null,
        requestId: null,
        details: { atOnce: false },
      },
    ]);
    expect(await entries({ targetId: kid as string })).toEqual(rotated);
    const told = await instance.sql(
      `SELECT organization_id FROM audit_log WHERE action = 'signing_key.rotated' ORDER BY 1`,
    );
    const owners = [instance.credentials.organizationId, stranger.organizationId].sort();
    expect(told.map((row) => row['organization_id'])).toEqual(owners);
    expect(owners).not.toContain(child.body.id);
  });

  it("does not take a key's word for its own address, but for its customer's", async () => {
    const vouched = { 'x-client-ip': '203.0.113.7' };
    const created = await createCustomer(vouched);
    expect((await entriesOf(created))[0]).toMatchObject({ actorType: 'key', ip: '127.0.0.1' });
    const email = `${randomUUID()}@example.com`;
    await instance.register(email);
    await instance.page('POST', '/api/v1/auth/forgot-password', { email });
    const reset = await instance.request('POST', '/api/v1/auth/reset-password', {
      body: { token: await instance.token(email, 'reset-password'), password: `${PASSWORD} new` },
      headers: {
        ...bearer(instance.credentials.projectSecretKey),
        'x-publishable-key': instance.credentials.publishableKey,
        ...vouched,
      },
    });
    expect(reset.status).toBe(204);
    expect((await entriesOf(reset))[0]).toMatchObject({ actorType: 'customer', ip: '203.0.113.7' });
  });
});

describe('the audit log and the change', () => {
  it('are one: a change that is rolled back leaves no entry, one without its entry does not happen', async () => {
    const email = `${randomUUID()}@example.com`;
    await instance.sql(
      `ALTER TABLE audit_log ADD CONSTRAINT broken CHECK (action <> 'customer.created') NOT VALID`,
    );
    try {
      expect((await instance.server('POST', '/api/v1/customers', { email })).status).toBe(500);
    } finally {
      await instance.sql('ALTER TABLE audit_log DROP CONSTRAINT broken');
    }
    expect(await instance.sql('SELECT 1 FROM customers WHERE email = $1', [email])).toEqual([]);

    // A change that fails in the last moment: when it commits.
    await instance.sql(`
      CREATE FUNCTION fail_late() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''late''; END';
      CREATE CONSTRAINT TRIGGER late AFTER INSERT ON customers DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION fail_late()`);
    const late = await instance.server('POST', '/api/v1/customers', { email });
    await instance.sql('DROP TRIGGER late ON customers; DROP FUNCTION fail_late()');
    expect(late.status).toBe(500);
    expect(await entriesOf(late)).toEqual([]);

    await instance.server('POST', '/api/v1/customers', { email });
    const taken = await instance.server('POST', '/api/v1/customers', { email });
    expect(taken.status).toBe(409);
    expect(await entriesOf(taken)).toEqual([]);
  });

  it('a replayed request with an Idempotency-Key is no second entry', async () => {
    const { body } = await createCustomer();
    const headers = { ...bearer(instance.credentials.secretKey), 'idempotency-key': randomUUID() };
    const disable = () => instance.request('POST', `/api/v1/customers/${body.id}/disable`, { headers });
    const [first, second] = [await disable(), await disable()];
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(await entriesOf(first)).toHaveLength(1);
    expect(await entriesOf(second)).toEqual([]);
    expect(await entries({ targetId: body.id as string, action: 'customer.disabled' })).toHaveLength(1);
  });

  it.each(['without', 'with'])(
    'WH-14: of 20 parallel redeliveries %s an Idempotency-Key each is written down, 19 as refused',
    async (how) => {
      const receiver = await Receiver.start();
      try {
        const endpoint = await instance.createEndpoint(receiver.url, ['customer.created']);
        await createCustomer();
        const delivery = await eventually(
          'a delivery',
          async () => (await instance.attempts({ endpoint_id: endpoint.id }))[0]?.['delivery_id'] as string,
        );
        const answers = await Promise.all(
          Array.from({ length: 20 }, () =>
            patiently(() =>
              instance.request('POST', `/v1/webhooks/deliveries/${delivery}/redeliver`, {
                body: { reason: 'the target is up again' },
                headers: {
                  ...bearer(instance.credentials.secretKey),
                  ...(how === 'with' ? { 'idempotency-key': randomUUID() } : {}),
                },
              }),
            ),
          ),
        );
        expect(answers.map(({ status }) => status).sort()).toEqual([202, ...Array(19).fill(409)]);
        const written = await entries({ action: 'webhook_delivery.redelivered', targetId: delivery });
        expect(written).toHaveLength(20);
        for (const answer of answers) {
          const entry = written.find(({ requestId }) => requestId === answer.headers.get('x-request-id'))!;
          const details =
            answer.status === 202
              ? {
                  outcome: 'redelivered',
                  redeliveredAs: answer.body.data.id,
                  reason: 'the target is up again',
                }
              : { outcome: 'refused', code: answer.body.code };
          expect(entry).toMatchObject({ actorType: 'key', actorId: await keyId(), details });
        }
      } finally {
        await receiver.stop();
      }
    },
  );

  it('a redelivery that finds its endpoint deleted is a refused attempt', async () => {
    const receiver = await Receiver.start();
    const endpoint = await instance.createEndpoint(receiver.url, ['customer.created']);
    await createCustomer();
    const delivery = await eventually(
      'a delivery',
      async () => (await instance.attempts({ endpoint_id: endpoint.id }))[0]?.['delivery_id'] as string,
    );
    await receiver.stop();
    await instance.server('DELETE', `/v1/webhooks/endpoints/${endpoint.id}`);
    const answer = await instance.server('POST', `/v1/webhooks/deliveries/${delivery}/redeliver`);
    expect(answer.status).toBe(409);
    expect(await entriesOf(answer)).toMatchObject([
      { targetId: delivery, details: { outcome: 'refused', code: 'endpoint_deleted' } },
    ]);
  });
});

describe('the list', () => {
  it('is newest first, in pages, and filtered by everything it shows', async () => {
    const tenant = await insertProject(instance, instance.credentials.organizationId);
    const { projectId } = tenant;
    const made: Answer[] = [];
    for (let index = 0; index < 5; index += 1) {
      made.push(
        await instance.server('POST', '/api/v1/customers', {
          email: `${randomUUID()}@example.com`,
          projectId,
        }),
      );
    }
    const customer = made[0]!.body.id as string;
    await instance.server('POST', `/api/v1/customers/${customer}/disable`);
    await instance.server('POST', `/api/v1/projects/${projectId}/api-keys`, { name: 'Service' });

    const all = await entries({ projectId });
    expect(all).toHaveLength(7);
    expect(all.map(({ id }) => id)).toEqual(
      all
        .map(({ id }) => id as string)
        .sort()
        .reverse(),
    );
    const pages: Entry[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { body }: Answer = await list({ projectId, limit: '3', ...(cursor ? { cursor } : {}) });
      expect(body.hasMore).toBe(body.nextCursor !== null);
      pages.push(...(body.data as Entry[]));
      cursor = body.nextCursor as string | null;
    }
    expect(pages).toEqual(all);

    const actor = await keyId();
    const third = all[3]!;
    const filters: [Filter, Entry[]][] = [
      [{ action: 'customer.*' }, all.slice(1)],
      [{ action: 'customer.disabled' }, [all[1]!]],
      [{ action: 'project.*' }, []],
      [{ actorType: 'key' }, all],
      [{ actorType: 'operator' }, []],
      [{ actorId: actor }, all],
      [{ actorId: randomUUID() }, []],
      [{ targetType: 'api_key' }, [all[0]!]],
      [{ targetType: 'customer', targetId: customer }, [all[1]!, all[6]!]],
      [{ requestId: made[2]!.headers.get('x-request-id')! }, [all[4]!]],
      [
        { createdAfter: third['createdAt'] as string },
        all.filter(({ createdAt }) => createdAt > third['createdAt']),
      ],
      [
        { createdBefore: third['createdAt'] as string },
        all.filter(({ createdAt }) => createdAt < third['createdAt']),
      ],
      [{ createdAfter: '0001-01-01T00:00:00Z', createdBefore: '9999-12-31T23:59:59Z' }, all],
      [{ createdBefore: '0001-01-01T00:00:00Z' }, []],
    ];
    for (const [filter, expected] of filters) {
      expect({ filter, data: await entries({ projectId, ...filter }) }).toEqual({ filter, data: expected });
    }
  });

  it('refuses unknown values, fields and limits, each by the name of its field', async () => {
    const queries = {
      'action=customer.seen': 'action',
      'action=*': 'action',
      'action=nobody.*': 'action',
      'actorType=user': 'actorType',
      'actorId=x': 'actorId',
      'targetType=thing': 'targetType',
      'targetId=a%20b': 'targetId',
      'requestId=': 'requestId',
      'projectId=x': 'projectId',
      'createdAfter=yesterday': 'createdAfter',
      'createdBefore=2026': 'createdBefore',
      'limit=0': 'limit',
      'target=x': 'target',
    };
    const responses = await Promise.all(
      Object.entries(queries).map(async ([query, field]) => {
        const { status, body } = await instance.server('GET', `${PATH}?${query}`);
        return {
          query,
          field,
          refused: [status, body.code, body.errors?.map((each: Entry) => each['field'])],
        };
      }),
    );
    const faults = responses.filter(
      ({ field, refused }) => JSON.stringify(refused) !== JSON.stringify([400, 'validation_failed', [field]]),
    );
    expect(faults).toEqual([]);
  });

  it('refuses a cursor of another filter or another reach', async () => {
    await createCustomer();
    await createCustomer();
    const { nextCursor: cursor } = (await list({ limit: '1' })).body as { nextCursor: string };
    for (const answer of [
      await list({ cursor, actorType: 'key' }),
      await list({ cursor }, instance.credentials.projectSecretKey),
      await list({ cursor: `${cursor.slice(0, -2)}${cursor.endsWith('AA') ? 'BB' : 'AA'}` }),
    ]) {
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } });
    }
  });

  it('AK-06: needs audit:read', async () => {
    const key = await insertKey(instance, {
      ...instance.credentials,
      type: 'secret',
      scopes: ['event:read'],
    });
    expect(await list({}, key)).toMatchObject({
      status: 403,
      body: { code: 'insufficient_scope', requiredScopes: ['audit:read'] },
    });
  });

  it("AK-04: shows a project key its own project, an organization key its own and its children's, nobody else's", async () => {
    const sibling = await insertProject(instance, instance.credentials.organizationId);
    const stranger = await insertOrganization(instance);
    const create = async (key: string): Promise<string> => {
      const body = { email: `${randomUUID()}@example.com` };
      const answer = await instance.request('POST', '/api/v1/customers', { body, headers: bearer(key) });
      return answer.body.id as string;
    };
    const mine = await create(instance.credentials.projectSecretKey);
    const theirs = await create(sibling.secretKey);
    const foreign = await create(stranger.secretKey);
    const child = await instance.server('POST', '/api/v1/organizations', {
      name: 'Child',
      slug: 'audit-reach',
    });
    const seenBy = async (key: string): Promise<string[]> => {
      const targets = new Set((await entries({}, key)).map(({ targetId }) => targetId as string));
      return [mine, theirs, foreign, child.body.id as string].filter((id) => targets.has(id));
    };
    expect(await seenBy(instance.credentials.secretKey)).toEqual([mine, theirs, child.body.id]);
    expect(await seenBy(instance.credentials.projectSecretKey)).toEqual([mine]);
    expect(await seenBy(stranger.secretKey)).toEqual([foreign]);
    const strangerKey = await insertKey(instance, { ...stranger, type: 'secret', access: 'organization' });
    expect(await seenBy(strangerKey)).toEqual([foreign]);
    // Another tenant's ids match nothing, like ids that do not exist.
    for (const filter of <Filter[]>[
      { projectId: stranger.projectId },
      { targetId: foreign },
      { actorId: await keyId(stranger.secretKey) },
      { targetId: randomUUID() },
    ]) {
      expect(await entries(filter)).toEqual([]);
    }
    const projects = (await entries({}, instance.credentials.projectSecretKey)).map(
      ({ projectId }) => projectId,
    );
    expect(new Set(projects)).toEqual(new Set([instance.credentials.projectId]));
  });
});

it('refuses every change of the table, also behind the switch of retention', async () => {
  await createCustomer();
  const rows = () => instance.sql('SELECT * FROM audit_log ORDER BY id');
  const before = await rows();
  const faults: string[] = [];
  for (const statement of [
    `UPDATE audit_log SET action = 'customer.created'`,
    `UPDATE audit_log SET ip = NULL`,
    'DELETE FROM audit_log',
    'TRUNCATE audit_log',
    // Retention's own switch does not open what is young.
    `SET LOCAL gatehouse.audit_retention = 'on'; DELETE FROM audit_log`,
    `SET LOCAL gatehouse.audit_retention = 'on'; UPDATE audit_log SET created_at = created_at - interval '9 years'`,
    `SET LOCAL gatehouse.audit_retention = 'on'; TRUNCATE audit_log`,
  ]) {
    const refusal = await instance.sql(statement).then(
      () => 'accepted',
      ({ code, message }) => `${code} ${message}`,
    );
    if (refusal !== '42501 the audit log is append-only') faults.push(`${statement}: ${refusal}`);
  }
  expect(faults).toEqual([]);
  expect(await rows()).toEqual(before);
});

describe('retention', () => {
  it('removes what is older than AUDIT_RETENTION, and nothing else', async () => {
    const insert = (time: number) =>
      instance.sql(
        `INSERT INTO audit_log (id, organization_id, actor_type, action, target_type, target_id, created_at)
         VALUES ($1, $2, 'system', 'customer.created', 'customer', 'retention', $3)`,
        [idOf(time), instance.credentials.organizationId, new Date(time)],
      );
    const now = Date.now();
    const ages = [1, 3 * DAY_MS - 60_000, 3 * DAY_MS + 60_000, 400 * DAY_MS];
    for (const age of ages) await insert(now - age);
    // More than one statement removes.
    await instance.sql(
      `INSERT INTO audit_log (id, organization_id, actor_type, action, target_type, target_id, created_at)
       SELECT overlay(gen_random_uuid()::text placing '00000000-0001-7' from 1 for 15)::uuid, $1, 'system',
         'customer.created', 'customer', 'retention', to_timestamp(0) FROM generate_series(1, 4500)`,
      [instance.credentials.organizationId],
    );
    const others = await instance.sql(`SELECT id FROM audit_log WHERE target_id <> 'retention' ORDER BY id`);
    const worker = instance.startWorker({ AUDIT_RETENTION: '3d', PERIODIC_JOBS: 'off' });
    await worker.ready();
    await worker.runJob('audit log');
    const left = () =>
      instance.sql(`SELECT created_at FROM audit_log WHERE target_id = 'retention' ORDER BY id`);
    expect((await left()).map((row) => now - (row['created_at'] as Date).getTime())).toEqual([
      ages[1],
      ages[0],
    ]);
    expect(await instance.sql(`SELECT id FROM audit_log WHERE target_id <> 'retention' ORDER BY id`)).toEqual(
      others,
    );
  });
});
