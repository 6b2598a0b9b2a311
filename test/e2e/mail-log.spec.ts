import { randomUUID } from 'node:crypto';
import { expectStatus } from '../support/customers.js';
import { insertOperator, type OperatorClient } from '../support/operator-client.js';
import { getCount } from '../support/seed-instance.js';
import { insertOrganization, insertProject, type Tenant } from '../support/tenants.js';
import { TestInstance, type TestResponse } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
let viewer: OperatorClient;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  viewer = await insertOperator(instance, 'viewer');
});
afterAll(async () => instance?.stop());

const listLog = async (secretKey: string, query: Record<string, string> = {}): Promise<TestResponse> =>
  expectStatus(
    200,
    await instance.requestWithBearer(secretKey, 'GET', `/api/v1/mails?${new URLSearchParams(query)}`),
  );
const listIds = async (secretKey: string, query: Record<string, string> = {}): Promise<string[]> =>
  (await listLog(secretKey, query)).body.data.map(({ id }: { id: string }) => id);

/** Creates an invited customer. @returns the customer id and the email id */
async function invite({ secretKey }: Tenant, email = uniqueEmail()) {
  const body = { email, sendInvite: true };
  const created = await instance.requestWithBearer(secretKey, 'POST', '/api/v1/customers', body);
  const { id } = expectStatus(201, created).body;
  const [mail] = (await listLog(secretKey, { customerId: id })).body.data;
  return { id: id as string, email, mail: mail as Record<string, unknown> & { id: string } };
}

describe('GET /api/v1/mails', () => {
  it('lists the emails of the project newest first, with pages and filters', async () => {
    const tenant = await insertOrganization(instance);
    const { secretKey } = tenant;
    const mails = [];
    for (let count = 0; count < 3; count += 1) mails.push(await invite(tenant));
    const [first, second, third] = mails as [
      (typeof mails)[number],
      (typeof mails)[number],
      (typeof mails)[number],
    ];
    await instance.sql(
      `UPDATE mails SET state = 'dropped', reason = 'project_limit', finished_at = now() WHERE id = $1`,
      [first.mail.id],
    );
    await instance.sql(`UPDATE mails SET state = 'kept', finished_at = now() WHERE id = $1`, [
      second.mail.id,
    ]);
    expect(third.mail).toEqual({
      id: third.mail.id,
      projectId: tenant.projectId,
      customerId: third.id,
      kind: 'accept-invite',
      recipient: third.email,
      state: 'queued',
      reason: null,
      response: null,
      captured: false,
      attempts: 0,
      nextAttemptAt: expect.any(String),
      createdAt: expect.any(String),
      finishedAt: null,
    });
    const page = (await listLog(secretKey, { limit: '2' })).body;
    expect(page.data.map(({ id }: { id: string }) => id)).toEqual([third.mail.id, second.mail.id]);
    expect(page.data[1]).toMatchObject({ state: 'sent', captured: true });
    const next = (await listLog(secretKey, { limit: '2', cursor: page.nextCursor })).body;
    expect(next).toMatchObject({ data: [{ id: first.mail.id }], nextCursor: null, hasMore: false });

    const { createdAt } = second.mail as { createdAt?: string };
    for (const [filter, ids] of [
      [{ email: second.email.toUpperCase() }, [second.mail.id]],
      [{ customerId: first.id }, [first.mail.id]],
      [{ projectId: tenant.projectId, state: 'dropped' }, [first.mail.id]],
      [{ state: 'sent' }, [second.mail.id]],
      [{ state: 'failed' }, []],
      [{ kind: 'accept-invite', state: 'queued' }, [third.mail.id]],
      [{ kind: 'verify-email' }, []],
      [{ createdAfter: createdAt! }, [third.mail.id]],
      [{ createdBefore: createdAt! }, [first.mail.id]],
    ] as [Record<string, string>, string[]][]) {
      expect([filter, await listIds(secretKey, filter)]).toEqual([filter, ids]);
      const query = { projectId: tenant.projectId, ...filter };
      expect([filter, await getCount(viewer, '/mails', query)]).toEqual([
        filter,
        { count: ids.length, isMore: false },
      ]);
    }
    for (const invalid of [
      'state=pending',
      'kind=newsletter',
      'email=ada',
      'customerId=1',
      'to=ada',
      'cursor=x',
    ]) {
      const rejected = await instance.requestWithBearer(secretKey, 'GET', `/api/v1/mails?${invalid}`);
      expect([invalid, rejected.status]).toEqual([invalid, 400]);
    }
  });

  it('continues after a page without a match, and finds all matches', async () => {
    const tenant = await insertOrganization(instance);
    const { mail } = await invite(tenant);
    await instance.sql(
      `INSERT INTO mails (id, project_id, kind, recipient, state)
       SELECT ('ffffffff-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, $1, 'reset-password', 'a@example.com', 'sent'
       FROM generate_series(1, 5100) n`,
      [tenant.projectId],
    );
    const page = (await listLog(tenant.secretKey, { kind: 'accept-invite' })).body;
    expect(page).toMatchObject({ data: [], hasMore: true });
    const cursor = page.nextCursor as string;
    expect(await listIds(tenant.secretKey, { kind: 'accept-invite', cursor })).toEqual([mail.id]);
    await instance.sql('DELETE FROM mails WHERE project_id = $1', [tenant.projectId]);
  });

  it("returns the emails of a key's projects, and never emails to operators", async () => {
    const { organizationId, secretKey } = instance.credentials;
    const [own, foreign] = [
      await insertProject(instance, organizationId),
      await insertOrganization(instance),
    ];
    const [inOwn, inForeign] = [await invite(own), await invite(foreign)];
    const system = randomUUID();
    await instance.sql(
      `INSERT INTO mails (id, kind, recipient, state) VALUES ($1, 'operator-invitation', $2, 'sent')`,
      [system, inOwn.email],
    );
    const { email } = inOwn;
    for (const [key, ids] of [
      [secretKey, [inOwn.mail.id]],
      [own.secretKey, [inOwn.mail.id]],
      [foreign.secretKey, []],
    ] as [string, string[]][]) {
      expect(await listIds(key, { email })).toEqual(ids);
      const all = await listIds(key);
      expect(all.includes(inOwn.mail.id)).toBe(ids.length > 0);
      expect(all).not.toContain(system);
      expect(all.includes(inForeign.mail.id)).toBe(key === foreign.secretKey);
    }
    const { data } = (await viewer.request('GET', `/mails?email=${email}`)).body;
    expect(data.map(({ id }: { id: string }) => id).sort()).toEqual([inOwn.mail.id, system].sort());
    const found = await viewer.request('GET', `/mails/${system}`);
    expect(found).toMatchObject({ status: 200, body: { kind: 'operator-invitation', projectId: null } });
    expect(await viewer.request('GET', `/mails/${randomUUID()}`)).toMatchObject({ status: 404 });
    expect(JSON.stringify([data, found.body])).not.toMatch(/token|html/);
    await instance.sql('DELETE FROM mails WHERE id = $1', [system]);
  });

  it('retains entries of a deleted customer without the recipient, and drops queued emails', async () => {
    const tenant = await insertOrganization(instance);
    const { id, email, mail } = await invite(tenant);
    await instance.sql(
      `INSERT INTO mails (id, project_id, customer_id, kind, recipient, state, reason, response)
       VALUES (gen_random_uuid(), $1, $2, 'reset-password', $3, 'failed', 'rejected', '550 ' || $3)`,
      [tenant.projectId, id, email],
    );
    expectStatus(
      204,
      await instance.requestWithBearer(tenant.secretKey, 'DELETE', `/api/v1/customers/${id}`),
    );
    const erased = { customerId: null, recipient: null, response: null };
    expect((await listLog(tenant.secretKey)).body.data).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ ...erased, kind: 'reset-password', state: 'failed', reason: 'rejected' }),
        expect.objectContaining({ ...erased, id: mail.id, state: 'dropped', reason: 'customer_deleted' }),
      ]),
    );
    expect(
      await instance.sql('SELECT 1 FROM mails WHERE parameters IS NOT NULL AND id = $1', [mail.id]),
    ).toEqual([]);
  });

  it('retains no entries about a customer deleted by an API process on 0.1.0', async () => {
    const tenant = await insertOrganization(instance);
    const { id } = await invite(tenant);
    await instance.sql('DELETE FROM customers WHERE id = $1', [id]);
    expect(await listIds(tenant.secretKey)).toEqual([]);
  });
});
