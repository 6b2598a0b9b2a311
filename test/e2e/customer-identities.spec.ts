import { refreshSession, registerCustomer, type RegisteredCustomer } from '../support/customers.js';
import { insertIdentity, insertProvider } from '../support/identity-providers/insert-provider.js';
import { importLines, parseNdjson, toNdjson } from '../support/ndjson.js';
import { insertOperator } from '../support/operator-client.js';
import { insertOrganization, insertProject, type Tenant } from '../support/tenants.js';
import { bearerHeader, TestInstance, type TestResponse } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.startShared({ workers: 0 })));
afterAll(async () => instance?.stop());

const pathOf = ({ id }: { id: string }): string => `/api/v1/customers/${id}/identities`;
const list = (customer: { id: string }): Promise<TestResponse> =>
  instance.requestWithSecretKey('GET', pathOf(customer));
const remove = (customer: { id: string }, identityId: string, body: object = { reason: 'Ticket 4711' }) =>
  instance.requestWithSecretKey('POST', `${pathOf(customer)}/${identityId}/remove`, body);

/** Registers a customer with two identities, the newer one of a disabled provider. */
async function registerWithIdentities(): Promise<RegisteredCustomer & { identityIds: [string, string] }> {
  const customer = await registerCustomer(instance);
  const providers = [
    await insertProvider(instance),
    await insertProvider(instance, { type: 'oidc', name: 'Acme', enabled: false }),
  ];
  const [first, second] = providers.map(({ id }) => ({ providerId: id }));
  const identityIds: [string, string] = [
    await insertIdentity(instance, customer.id, { ...first, email: customer.email }),
    await insertIdentity(instance, customer.id, second),
  ];
  return { ...customer, identityIds };
}

describe("a customer's identity list", () => {
  it('contains all identities on one page, newest first, even those at disabled providers', async () => {
    const customer = await registerWithIdentities();
    const [first, second] = customer.identityIds;
    const times = { createdAt: expect.any(String), lastUsedAt: expect.any(String) };
    const ids = { provider: expect.any(String), subject: expect.any(String) };
    const identities = [
      { id: second, ...ids, type: 'oidc', email: null, ...times },
      { id: first, ...ids, type: 'google', email: customer.email, ...times },
    ];
    const page = { nextCursor: null, hasMore: false };
    expect((await list(customer)).body).toEqual({ data: identities, ...page });
    const operator = await insertOperator(instance, 'viewer');
    const shown = await operator.request('GET', `/customers/${customer.id}/identities`);
    const names = ['Acme', 'Google'].map((providerName) => ({ providerName }));
    expect(shown.body).toMatchObject({ data: names, ...page });
  });

  it('MF-08: lets support remove an identity, ends all sessions, and notifies and audits', async () => {
    const customer = await registerWithIdentities();
    const [identityId, otherId] = customer.identityIds;
    const [identity] = (await list(customer)).body.data.filter(({ id }: { id: string }) => id === identityId);
    for (const body of [{}, { reason: '' }])
      expect((await remove(customer, identityId, body)).status).toBe(400);
    expect(await remove(customer, identityId)).toMatchObject({ status: 204 });
    expect((await remove(customer, identityId)).status).toBe(404);
    expect((await refreshSession(instance, customer.tokens.refreshToken)).status).toBe(401);
    expect(await instance.events(customer.id, 'session.revoked')).toMatchObject([
      { data: { reason: 'identity_removed' } },
    ]);
    expect(await instance.events(customer.id, 'identity.unlinked')).toMatchObject([{ data: { identity } }]);
    expect(await instance.listMailKinds(customer.email)).toContain('identity-unlinked');
    const entries = await instance.sql(
      `SELECT details FROM audit_log WHERE target_id = $1 AND action = 'customer.identity_unlinked'`,
      [customer.id],
    );
    expect(entries).toEqual([
      { details: { identityId, provider: identity.provider, reason: 'Ticket 4711' } },
    ]);
    expect((await list(customer)).body.data).toMatchObject([{ id: otherId }]);
  });

  it('allows an operator, but not a viewer, to remove an identity, even the last sign-in method', async () => {
    const { id } = (
      await instance.requestWithSecretKey('POST', '/api/v1/customers', {
        email: uniqueEmail(),
      })
    ).body;
    const path = `/customers/${id}/identities/${await insertIdentity(instance, id)}/remove`;
    const send = async (role: string) =>
      (await insertOperator(instance, role)).request('POST', path, { reason: 'Ticket 4711' });
    expect((await send('viewer')).status).toBe(403);
    expect((await send('operator')).status).toBe(204);
    expect((await list({ id })).body.data).toEqual([]);
  });

  it('returns 404 to another customer, project or organization', async () => {
    const customer = await registerWithIdentities();
    const [identityId] = customer.identityIds;
    expect((await remove(await registerCustomer(instance), identityId)).status).toBe(404);
    const tenants = [
      await insertProject(instance, instance.credentials.organizationId),
      await insertOrganization(instance),
    ];
    for (const { secretKey } of tenants) {
      const request = (method: string, path: string, body?: object) =>
        instance.request(method, path, { body, headers: bearerHeader(secretKey) });
      const path = pathOf(customer);
      expect((await request('GET', path)).status).toBe(404);
      expect((await request('POST', `${path}/${identityId}/remove`, { reason: 'x' })).status).toBe(404);
    }
    expect((await list(customer)).body.data).toHaveLength(2);
  });
});

describe('an export', () => {
  it('contains the identities of a customer', async () => {
    const customer = await registerWithIdentities();
    const exported = await instance.requestWithSecretKey('GET', `/api/v1/customers/${customer.id}/export`);
    expect(exported.body.identities).toEqual((await list(customer)).body.data);
    expect(exported.body.identities).toHaveLength(2);
  });

  it("links a project's identities to providers by slug, in the import format", async () => {
    const { organizationId } = instance.credentials;
    const createProject = async (...slugs: string[]): Promise<Tenant> => {
      const tenant = await insertProject(instance, organizationId);
      for (const slug of slugs) await insertProvider(instance, { projectId: tenant.projectId, slug });
      return tenant;
    };
    const exportLines = async ({ projectId }: Tenant): Promise<string> =>
      (await instance.requestWithSecretKey('GET', `/api/v1/projects/${projectId}/export`)).body;
    const importInto = async ({ secretKey }: Tenant, lines: string) =>
      (await importLines(instance, lines, {}, bearerHeader(secretKey))).body;

    const origin = await createProject('google', 'acme');
    const identities = [
      { provider: 'google', subject: '1234' },
      { provider: 'acme', subject: '00u1 ä' },
    ];
    const emails = [uniqueEmail(), uniqueEmail()];
    const customers = [{ email: emails[0], identities }, { email: emails[1] }];
    expect(await importInto(origin, toNdjson(customers))).toMatchObject({ created: 2 });
    await instance.sql('UPDATE customers SET image_url = $2 WHERE email = $1', [
      emails[0],
      'https://provider.example.com/ada.png',
    ]);
    const exported = await exportLines(origin);
    const lines = parseNdjson(exported);
    expect(lines.find(({ email }) => email === emails[0])).toMatchObject({ identities });
    expect(lines.find(({ email }) => email === emails[1])).not.toHaveProperty('identities');

    const target = await createProject('google', 'acme');
    expect(await importInto(target, exported)).toMatchObject({ created: 2, failures: { data: [] } });
    const comparable = ({ id: _, projectId: __, ...line }: Record<string, any>) => ({
      ...line,
      imageUrl: null,
    });
    expect(parseNdjson(await exportLines(target)).map(comparable)).toEqual(lines.map(comparable));

    const incomplete = await createProject('google');
    expect(await importInto(incomplete, exported)).toMatchObject({
      ...{ created: 2, incomplete: 1 },
      failures: { data: [{ warnings: [{ field: 'identities.1.provider', code: 'provider_not_found' }] }] },
    });
  });
});
