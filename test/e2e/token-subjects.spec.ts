import { randomUUID } from 'node:crypto';
import { createServer } from '@gatehouse/server';
import { decodeJwt } from 'jose';
import { refreshSession } from '../support/customers.js';
import { PASSWORD, TestInstance, type TestResponse } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
});
afterAll(async () => instance?.stop());

interface NewProject {
  id: string;
  publishableKey: string;
}

const send = (method: string, path: string, body?: object): Promise<TestResponse> =>
  instance.requestWithSecretKey(method, `/api/v1/${path}`, body);

async function createProject(settings: object): Promise<NewProject> {
  const { id } = (await send('POST', 'projects', { name: 'Shop', settings })).body;
  const { key } = (await send('POST', `projects/${id}/api-keys`, { name: 'Web', type: 'publishable' })).body;
  return { id, publishableKey: key };
}

const createCustomer = async ({ id: projectId }: NewProject, externalId: string | null = null) => {
  const body = { projectId, email: uniqueEmail(), password: PASSWORD, externalId };
  return (await send('POST', 'customers', body)).body as { id: string; email: string };
};

const login = async ({ publishableKey }: NewProject, email: string) =>
  (
    await instance.request('POST', '/api/v1/auth/login', {
      body: { email, password: PASSWORD },
      headers: { 'x-publishable-key': publishableKey },
    })
  ).body.tokens as { accessToken: string; refreshToken: string };

const conflict = (text: string) => ({
  status: 409,
  body: { code: 'conflict', detail: expect.stringContaining(text) },
});
const newExternalId = (): string => `auth0|${randomUUID()}`;

describe('the setting tokenSubject', () => {
  it('sets sub to the externalId, or to the id if there is none, in tokens that routes accept', async () => {
    const project = await createProject({ tokenSubject: 'externalId' });
    const gatehouse = createServer({ url: instance.baseUrl, projectId: project.id });
    for (const externalId of [newExternalId(), null]) {
      const { id, email } = await createCustomer(project, externalId);
      const tokens = await login(project, email);
      const refreshed = (await refreshSession(instance, tokens.refreshToken)).body.tokens;
      for (const { accessToken } of [tokens, refreshed]) {
        const claims = await gatehouse.verifyAccessToken(accessToken);
        expect(claims).toMatchObject({ sub: externalId ?? id, customer_id: id });
        const me = await instance.requestWithAccessToken(accessToken, 'GET', '/api/v1/me');
        expect(me).toMatchObject({ status: 200, body: { id } });
      }
      await instance.requestWithAccessToken(refreshed.accessToken, 'POST', '/api/v1/auth/logout');
      const me = await instance.requestWithAccessToken(refreshed.accessToken, 'GET', '/api/v1/me');
      expect(me.status).toBe(401);
    }
  });

  it('rejects changes once a customer has signed in', async () => {
    const project = await createProject({});
    const { id, email } = await createCustomer(project);
    const path = `projects/${project.id}`;
    for (const tokenSubject of ['externalId', 'id', 'externalId'])
      expect(await send('PATCH', path, { settings: { tokenSubject } })).toMatchObject({
        status: 200,
        body: { settings: { tokenSubject } },
      });
    const tokens = await login(project, email);
    await instance.requestWithAccessToken(tokens.accessToken, 'POST', '/api/v1/auth/logout');
    expect(await send('PATCH', path, { settings: { tokenSubject: null } })).toMatchObject(
      conflict('after customers have signed in'),
    );
    const unchanged = { tokenSubject: 'externalId', accessTokenTtl: 60 };
    expect((await send('PATCH', path, { settings: unchanged })).status).toBe(200);
    await send('DELETE', `customers/${id}`);
    expect((await send('PATCH', path, { settings: { tokenSubject: null } })).status).toBe(200);
  });

  it('makes the externalId immutable once its customer has signed in, if it is the sub', async () => {
    for (const tokenSubject of ['id', 'externalId']) {
      const project = await createProject({ tokenSubject });
      const { id, email } = await createCustomer(project);
      const change = (): Promise<TestResponse> =>
        send('PATCH', `customers/${id}`, { externalId: newExternalId() });
      expect((await change()).status).toBe(200);
      await login(project, email);
      expect(await change()).toMatchObject(
        tokenSubject === 'id' ? { status: 200 } : conflict('externalId cannot change'),
      );
      expect((await send('PATCH', `customers/${id}`, { firstName: 'Ada' })).status).toBe(200);
    }
  });

  it("rejects an externalId that is another customer's id", async () => {
    const project = await createProject({ tokenSubject: 'externalId' });
    const { id } = await createCustomer(project);
    const other = await createCustomer(project);
    const taken = {
      status: 409,
      body: { code: 'external_id_taken', detail: expect.stringContaining('the id of another customer') },
    };
    const body = { projectId: project.id, email: uniqueEmail(), externalId: id };
    expect(await send('POST', 'customers', body)).toMatchObject(taken);
    expect(await send('PATCH', `customers/${other.id}`, { externalId: id })).toMatchObject(taken);
    expect((await send('PATCH', `customers/${id}`, { externalId: id })).status).toBe(200);
    // Another project's customer.
    const elsewhere = await createProject({});
    const foreign = { ...body, projectId: elsewhere.id };
    expect((await send('POST', 'customers', foreign)).status).toBe(201);
  });

  it.each([true, false])(
    "rejects imports that use a customer's id as an externalId (dryRun: %s)",
    async (dryRun) => {
      const project = await createProject({ tokenSubject: 'externalId' });
      const existing = await createCustomer(project);
      const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()];
      const customers = [
        { externalId: existing.id },
        { email: existing.email, externalId: existing.id },
        { id: first, externalId: first },
        { id: second },
        { externalId: second },
        { externalId: third },
        { id: third },
      ].map((customer) => ({ email: uniqueEmail(), ...customer }));
      const { body } = await send('POST', 'customers/import', { projectId: project.id, customers, dryRun });
      const error = {
        code: 'external_id_taken',
        message: expect.stringContaining('the id of another customer'),
      };
      expect(body.results).toMatchObject([
        { status: 'failed', errors: [error] },
        { status: 'skipped', errors: [{ code: 'email_already_registered' }] },
        { status: 'created' },
        { status: 'created' },
        { status: 'failed', errors: [error] },
        { status: 'created' },
        { status: 'created' },
      ]);
      if (dryRun) return;
      const ids = body.results.map(({ id }: { id: string }) => id);
      expect(ids.slice(2, 4)).toEqual([first, second]);
      expect(ids[6]).not.toBe(third);
    },
  );

  it('rejects imports that change the sub of a customer who has signed in', async () => {
    const project = await createProject({ tokenSubject: 'externalId' });
    const [known, unknown] = [await createCustomer(project), await createCustomer(project)];
    await login(project, known.email);
    const updatedAt = new Date(Date.now() + 10_000).toISOString();
    const other = await createCustomer(project);
    const customers = [known, unknown, other].map(({ id, email }) => ({
      ...{ id, email, updatedAt, externalId: id === other.id ? known.id : newExternalId() },
    }));
    const { body } = await send('POST', 'customers/import', {
      projectId: project.id,
      update: true,
      customers,
    });
    expect(body.results).toMatchObject([
      { status: 'skipped', warnings: [{ field: 'externalId', code: 'conflict' }] },
      { status: 'updated' },
      { status: 'skipped', warnings: [{ field: 'externalId', code: 'external_id_taken' }] },
    ]);
    for (const { id } of [known, other])
      expect((await send('GET', `customers/${id}`)).body.externalId).toBeNull();
  });

  it('keeps existing tokens valid when it is set for the first time', async () => {
    const project = await createProject({});
    const { id, email } = await createCustomer(project, newExternalId());
    const { accessToken } = await login(project, email);
    await instance.sql(`UPDATE projects SET settings = '{"tokenSubject": "externalId"}' WHERE id = $1`, [
      project.id,
    ]);
    expect(decodeJwt(accessToken).sub).toBe(id);
    const me = await instance.requestWithAccessToken(accessToken, 'GET', '/api/v1/me');
    expect(me).toMatchObject({ status: 200, body: { id } });
  });
});
