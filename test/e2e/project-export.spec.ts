import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import bcrypt from 'bcrypt';
import { Keyring, PasswordHasher, HashThreads } from '@gatehouse/platform';
import { eventually } from '../support/eventually.js';
import { bearerHeader, TestInstance, PASSWORD } from '../support/test-instance.js';
import { parseNdjson, importLines, toNdjson } from '../support/ndjson.js';
import { portablePasskey } from '../support/passkeys.js';
import { SoftwareAuthenticator, type Deviations } from '../support/software-authenticator.js';
import { insertKey, insertProject, type Tenant } from '../support/tenants.js';
import { randomTotpSecret, totpCode } from '../support/totp.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.startShared({ workers: 0 })));
afterAll(async () => instance?.stop());

const exportProject = (projectId: string, query = '', key = instance.credentials.secretKey) =>
  instance.requestWithBearer(key, 'GET', `/api/v1/projects/${projectId}/export${query}`);
const createProject = (): Promise<Tenant> => insertProject(instance, instance.credentials.organizationId);
const login = (tenant: Tenant, email: string, password = PASSWORD) =>
  instance.request('POST', '/api/v1/auth/login', {
    body: { email, password },
    headers: { 'x-publishable-key': tenant.publishableKey },
  });

/** Creates a project with every kind of customer. */
async function createFullProject(): Promise<{ tenant: Tenant; emails: Record<string, string> }> {
  const tenant = await createProject();
  const create = async (body: Record<string, unknown>): Promise<string> => {
    const email = uniqueEmail();
    const response = await instance.request('POST', '/api/v1/customers', {
      body: { email, ...body },
      headers: bearerHeader(tenant.secretKey),
    });
    expect(response.status).toBe(201);
    return email;
  };
  const emails = {
    native: await create({ password: PASSWORD, firstName: 'Ada', locale: 'fr-CA', externalId: randomUUID() }),
    imported: await create({ passwordHash: bcrypt.hashSync(PASSWORD, 4), emailVerified: true }),
    passwordless: await create({
      metadata: { a: [1, { b: 'ü\u2028' }] },
      publicMetadata: { toString: 'kept' },
    }),
    disabled: await create({ password: PASSWORD }),
  };
  expect((await login(tenant, emails.native)).status).toBe(200);
  await instance.sql('UPDATE customers SET disabled_at = now() WHERE email = $1', [emails.disabled]);
  return { tenant, emails };
}

/** Returns the customer fields that are the same in another project. */
const portableFields = ({ id: _, projectId: __, ...customer }: Record<string, any>) => customer;

describe('a project export', () => {
  it('contains each customer as GET returns it, oldest first, even in an archived project', async () => {
    const { tenant, emails } = await createFullProject();
    await instance.sql('UPDATE projects SET archived_at = now() WHERE id = $1', [tenant.projectId]);
    const { status, headers, body } = await exportProject(tenant.projectId);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store');
    const lines = parseNdjson(body as string);
    expect(lines.map(({ email }) => email)).toEqual(Object.values(emails));
    for (const line of lines) {
      expect((await instance.requestWithSecretKey('GET', `/api/v1/customers/${line['id']}`)).body).toEqual(
        line,
      );
    }
  });

  it('creates the same customers in another project on import, with the same passwords', async () => {
    const { tenant, emails } = await createFullProject();
    const exported = (await exportProject(tenant.projectId, '?hashes=true')).body as string;
    const other = await createProject();
    const { body } = await importLines(instance, exported, {}, bearerHeader(other.secretKey));
    expect(body).toMatchObject({ created: 4, skipped: 0, failed: 0 });
    const reexported = (await exportProject(other.projectId, '?hashes=true')).body as string;
    expect(parseNdjson(reexported).map(portableFields)).toEqual(parseNdjson(exported).map(portableFields));
    expect(parseNdjson(reexported).every(({ projectId }) => projectId === other.projectId)).toBe(true);
    const statuses = async (email: string) => [
      (await login(other, email)).status,
      (await login(other, email, 'another long phrase')).status,
    ];
    expect(await statuses(emails['native']!)).toEqual([200, 401]);
    expect(await statuses(emails['imported']!)).toEqual([200, 401]);
    expect(await statuses(emails['passwordless']!)).toEqual([401, 401]);
    expect(await statuses(emails['disabled']!)).toEqual([403, 401]);
  });

  it('contains authenticator secrets only with the hashes, and an import accepts them', async () => {
    const tenant = await createProject();
    await instance.sql(`UPDATE projects SET settings = '{"mfa": "optional"}' WHERE id = $1`, [
      tenant.projectId,
    ]);
    const totpSecret = randomTotpSecret();
    const customers = [
      { email: uniqueEmail(), password: PASSWORD, totpSecret },
      { email: uniqueEmail(), totpSecret: null },
    ];
    const { body } = await importLines(instance, toNdjson(customers), {}, bearerHeader(tenant.secretKey));
    expect(body).toMatchObject({ created: 2 });
    const lines = parseNdjson((await exportProject(tenant.projectId, '?hashes=true')).body as string);
    const exported = new Map(lines.map((line) => [line['email'], line['totpSecret']]));
    expect(customers.map(({ email }) => exported.get(email))).toEqual([totpSecret, null]);
    expect((await exportProject(tenant.projectId)).body).not.toContain(totpSecret);

    const { challenge } = (await login(tenant, customers[0]!.email)).body;
    expect(challenge).toMatchObject({ kind: 'second_factor', methods: ['totp'] });
    const completed = await instance.request('POST', '/api/v1/auth/challenge/totp', {
      body: { challengeToken: challenge.token, code: totpCode(totpSecret) },
      headers: { 'x-publishable-key': tenant.publishableKey },
    });
    expect(completed.status).toBe(200);
    for (const invalid of ['', 'JBSWY3DP', 'jbswy3dpehpk3pxp', '1'.repeat(16), 16]) {
      const rejected = await importLines(
        instance,
        toNdjson([{ email: uniqueEmail(), totpSecret: invalid }]),
        {},
        bearerHeader(tenant.secretKey),
      );
      const warnings = [{ field: 'totpSecret' }];
      expect(rejected.body).toMatchObject({ created: 1, incomplete: 1, failures: { data: [{ warnings }] } });
    }
  });

  it('contains passkeys, which work after an import into another project with the same rpId', async () => {
    const origin = await createProject();
    const authenticator = new SoftwareAuthenticator();
    // The customer had a different id in the previous system.
    const userHandle = Buffer.from('user-4711').toString('base64url');
    authenticator.create({ challenge: 'YWJj', rp: { id: 'localhost' }, user: { id: userHandle } });
    const passkeys = [
      {
        ...portablePasskey(authenticator),
        ...{ userHandle, counter: 7, transports: ['usb'], deviceType: 'singleDevice', backedUp: false },
        ...{
          aaguid: randomUUID(),
          name: 'Key ring',
          createdAt: '2026-01-02T03:04:05.678Z',
          lastUsedAt: null,
        },
      },
      portablePasskey(),
    ];
    const customers = [{ email: uniqueEmail(), passkeys }, { email: uniqueEmail() }];
    await importLines(instance, toNdjson(customers), {}, bearerHeader(origin.secretKey));
    const exported = (await exportProject(origin.projectId)).body as string;
    const lines = parseNdjson(exported);
    const [line, other] = customers.map(({ email }) => lines.find((each) => each['email'] === email)!) as [
      Record<string, any>,
      Record<string, any>,
    ];
    expect(line['passkeys'][0]).toEqual(passkeys[0]);
    const ownHandle = Buffer.from(line['id'].replaceAll('-', ''), 'hex').toString('base64url');
    expect(line['passkeys'][1]).toEqual({
      ...passkeys[1],
      ...{ userHandle: ownHandle, counter: 0, transports: [], deviceType: 'multiDevice', backedUp: false },
      ...{ aaguid: '00000000-0000-0000-0000-000000000000', name: 'Passkey', lastUsedAt: null },
      createdAt: expect.any(String),
    });
    expect(other).not.toHaveProperty('passkeys');

    const target = await createProject();
    await instance.sql(`UPDATE projects SET settings = '{"signIn": {"passkey": true}}' WHERE id = $1`, [
      target.projectId,
    ]);
    const imported = await importLines(instance, exported, {}, bearerHeader(target.secretKey));
    expect(imported.body).toMatchObject({ created: 2, failures: { data: [] } });
    const reexported = parseNdjson((await exportProject(target.projectId)).body as string);
    const migrated = reexported.find(({ email }) => email === line['email'])!;
    expect(portableFields(migrated)).toEqual(portableFields(line));
    const publish = (path: string, body?: object) =>
      instance.request('POST', `/api/v1/auth/${path}`, {
        body,
        headers: { 'x-publishable-key': target.publishableKey },
      });
    const signIn = async (deviations: Deviations = {}) => {
      const { options } = (await publish('passkey/options')).body;
      return publish('passkey', { response: authenticator.get(options, deviations) });
    };
    const newHandle = Buffer.from(migrated['id'].replaceAll('-', ''), 'hex').toString('base64url');
    authenticator.counter = 8;
    for (const deviations of [{ userHandle: ownHandle }, { userHandle: newHandle }, { userHandle: null }])
      expect((await signIn(deviations)).body.code).toBe('passkey_not_accepted');
    expect(await signIn()).toMatchObject({ status: 200, body: { customer: { id: migrated['id'] } } });
    expect((await signIn()).body.code).toBe('passkey_not_accepted');
  });

  it('PW-06, AK-06: contains hashes only on request and with the required scope; imported hashes are unchanged', async () => {
    const tenant = await createProject();
    expect(await exportProject(tenant.projectId)).toMatchObject({ status: 200, body: '' });
    const passwordHash = bcrypt.hashSync(PASSWORD, 4);
    const email = uniqueEmail();
    await importLines(instance, toNdjson([{ email, passwordHash }]), {}, bearerHeader(tenant.secretKey));
    for (const query of ['', '?hashes=false']) {
      expect(
        parseNdjson((await exportProject(tenant.projectId, query)).body as string)[0],
      ).not.toHaveProperty('passwordHash');
    }
    const [line] = parseNdjson((await exportProject(tenant.projectId, '?hashes=true')).body as string);
    expect(line).toMatchObject({ email, passwordHash });
    const audited = await instance.sql(
      `SELECT details FROM audit_log WHERE target_id = $1 AND action = 'project.exported' ORDER BY id`,
      [tenant.projectId],
    );
    expect(audited.map(({ details }) => details.hashes)).toEqual([false, false, false, true]);

    const scopes = ['project:read', 'customer:read'];
    const options = { ...instance.credentials, type: 'secret', access: 'organization' } as const;
    const restrictedKey = await insertKey(instance, { ...options, scopes });
    expect((await exportProject(tenant.projectId, '', restrictedKey)).status).toBe(200);
    expect(await exportProject(tenant.projectId, '?hashes=true', restrictedKey)).toMatchObject({
      status: 403,
      body: { code: 'insufficient_scope', requiredScopes: [...scopes, 'customer:export_hashes'] },
    });
    for (const query of ['?hashes=yes', '?hashes=true&hashes=false', '?more=1']) {
      expect(await exportProject(tenant.projectId, query)).toMatchObject({
        status: 400,
        body: { code: 'validation_failed' },
      });
    }
  });

  it('can be imported into another instance without the hashes that depend on the old secret', async () => {
    const threads = new HashThreads(1, 4, 4_000);
    const otherHasher = new PasswordHasher(threads, new Keyring([randomBytes(32).toString('base64url')]), 4);
    const passwordHash = await otherHasher.hash(PASSWORD);
    await threads.close();
    const email = uniqueEmail();
    const { body } = await importLines(instance, toNdjson([{ email, passwordHash }]));
    expect(body).toMatchObject({ created: 1, failed: 0, incomplete: 1 });
    const message =
      'passwordHash was created with a GATEHOUSE_SECRET that is not in the list of this installation. Append the old secret to GATEHOUSE_SECRET and import the customer again with update, or ask the customer to reset the password.';
    expect(body.failures.data).toEqual([
      {
        ...{ line: 1, status: 'created', id: expect.any(String), errors: [] },
        warnings: [{ field: 'passwordHash', code: 'unknown_pepper', message }],
      },
    ]);
  });

  it('contains every customer once beyond one page, and ends with a complete line', async () => {
    const tenant = await createProject();
    const customers = Array.from({ length: 1_000 }, (_, index) => ({
      email: `p${index}@${randomUUID()}.example`,
    }));
    await importLines(instance, toNdjson(customers), {}, bearerHeader(tenant.secretKey));
    const lines = parseNdjson((await exportProject(tenant.projectId)).body as string);
    expect(lines.map(({ email }) => email)).toEqual(customers.map(({ email }) => email));
  });

  it('stops when its reader disconnects, and does not keep a transaction open until then', async () => {
    const tenant = await createProject();
    await instance.sql(
      `INSERT INTO customers (id, project_id, email, metadata)
       SELECT gen_random_uuid(), $1, gen_random_uuid() || '@example.com', jsonb_build_object('text', repeat('x', 8000))
       FROM generate_series(1, 4000)`,
      [tenant.projectId],
    );
    const request = get(`${instance.baseUrl}/api/v1/projects/${tenant.projectId}/export`, {
      headers: bearerHeader(instance.credentials.secretKey),
    });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    // 32 MB exceed the buffers, so the rest waits for the reader.
    await once(response, 'readable');
    await eventually('all connections to be released', async () => {
      const [row] = await instance.sql<{ busy: number }>(
        `SELECT count(*)::int AS busy FROM pg_stat_activity
         WHERE datname = current_database() AND application_name LIKE 'gatehouse/%' AND state LIKE 'idle in transaction%'`,
      );
      return row!.busy === 0;
    });
    const findLogLine = () =>
      instance.api.log.filter(({ route }) => route === '/api/v1/projects/:projectId/export').at(-1);
    request.destroy();
    await eventually('the end of the request', () => findLogLine()?.['status'] === 499);
    expect(instance.api.output).not.toContain('export aborted');
  });
});
