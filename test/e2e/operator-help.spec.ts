import { randomUUID } from 'node:crypto';
import { registerCustomer, withSettings } from '../support/customers.js';
import { eventually } from '../support/eventually.js';
import { setFailedSignIns } from '../support/failed-sign-ins.js';
import { TestInstance, PASSWORD } from '../support/test-instance.js';
import { getCount, listAll } from '../support/seed-instance.js';
import { insertOperator, type OperatorClient } from '../support/operator-client.js';
import { insertOrganization, insertProject } from '../support/tenants.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
let admin: OperatorClient;
let operator: OperatorClient;
let viewer: OperatorClient;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  admin = await insertOperator(instance);
  operator = await insertOperator(instance, 'operator');
  viewer = await insertOperator(instance, 'viewer');
});
afterAll(async () => instance?.stop());

const full = { count: 10_000, isMore: true };
const zero = { count: 0, isMore: false };
/** Returns the ids in a list, and checks that the count matches. */
const listAndCount = async (path: string, { limit, ...query }: Record<string, string>): Promise<string[]> => {
  const found = await listAll(viewer, path, { ...query, ...(limit && { limit }) });
  expect(await getCount(viewer, path, query)).toEqual({ count: found.length, isMore: false });
  return found;
};
const findAuditEntries = async (requestId: string | null) =>
  (await viewer.request('GET', `/audit-log?requestId=${requestId}`)).body.data;

describe('an email that an operator sends to a customer', () => {
  const createCustomer = async (more: object = {}): Promise<{ id: string; email: string }> =>
    (await instance.requestWithSecretKey('POST', '/api/v1/customers', { email: uniqueEmail(), ...more }))
      .body;

  it.each([
    ['resend-verification', 'verify-email', 'customer.verification_sent', 'verification.requested'],
    ['reset-password', 'reset-password', 'customer.password_reset_sent', 'password.reset_requested'],
    ['resend-invitation', 'accept-invite', 'customer.invitation_sent', null],
  ])('reaches the customer after %s', async (path, kind, action, event) => {
    const { id, email } = await createCustomer();
    const response = await operator.request('POST', `/customers/${id}/${path}`);
    expect(response).toMatchObject({ status: 202, body: {} });
    expect(await instance.getMailToken(email, kind)).toMatch(/^[\w-]{43}$/);
    expect(await findAuditEntries(response.headers.get('x-request-id'))).toMatchObject([
      { action, targetId: id, actorType: 'operator', actorName: operator.operator.email },
    ]);
    if (event) expect(await instance.events(id, event)).toHaveLength(1);
    expect(await viewer.request('POST', `/customers/${id}/${path}`)).toMatchObject({
      status: 403,
      body: { code: 'insufficient_role' },
    });
    expect(await operator.request('POST', `/customers/${randomUUID()}/${path}`)).toMatchObject({
      status: 404,
    });
    await instance.requestWithSecretKey('POST', `/api/v1/customers/${id}/disable`);
    expect(await operator.request('POST', `/customers/${id}/${path}`)).toMatchObject({
      status: 409,
      body: { code: 'conflict', detail: 'The customer is disabled. Enable the customer first.' },
    });
  });

  it('causes a 409 response if it is unnecessary, and a 429 response after five emails', async () => {
    const { id } = await createCustomer({ emailVerified: true, password: PASSWORD });
    for (const path of ['resend-verification', 'resend-invitation']) {
      const response = await operator.request('POST', `/customers/${id}/${path}`);
      expect(response).toMatchObject({ status: 409, body: { code: 'conflict' } });
      expect(await findAuditEntries(response.headers.get('x-request-id'))).toEqual([]);
    }
    const statuses = [];
    for (let count = 0; count < 6; count += 1) {
      statuses.push((await operator.request('POST', `/customers/${id}/reset-password`)).status);
    }
    expect(statuses).toEqual([202, 202, 202, 202, 202, 429]);
  });
});

describe('the mailbox for operators', () => {
  it('contains the emails of every project, and returns one with its text', async () => {
    const other = await insertOrganization(instance);
    const email = uniqueEmail();
    await instance.register(email);
    const created = await admin.request('POST', '/customers', {
      email,
      projectId: other.projectId,
      sendInvite: true,
    });
    expect(created.status).toBe(201);
    const list = async (query: Record<string, string>) => {
      const { body } = await operator.request('GET', `/mailbox?${new URLSearchParams(query)}`);
      return body.data as Record<string, string>[];
    };
    const both = await eventually('both mails', async () => {
      const mails = await list({ email });
      return mails.length === 2 && mails;
    });
    expect(both.map(({ kind, projectId }) => [kind, projectId])).toEqual([
      ['accept-invite', other.projectId],
      ['verify-email', instance.credentials.projectId],
    ]);
    expect(await list({ email, projectId: other.projectId })).toEqual([both[0]]);
    expect(await getCount(operator, '/mailbox', { email })).toEqual({ count: 2, isMore: false });
    expect(await getCount(operator, '/mailbox', { projectId: other.projectId })).toMatchObject({ count: 1 });
    expect(await getCount(operator, '/mailbox', { email: uniqueEmail() })).toEqual(zero);
    expect(await operator.request('GET', '/mailbox/count?limit=1')).toMatchObject({ status: 400 });
    const { status, body } = await operator.request('GET', `/mailbox/${both[0]!['id']}`);
    expect([status, body]).toEqual([200, both[0]]);
    expect(body.html).toContain(body.link);
    expect(body.text).toContain(body.link);
    expect(await operator.request('GET', `/mailbox/${randomUUID()}`)).toMatchObject({ status: 404 });
    // The links in the emails would grant access to every reader.
    for (const path of ['/mailbox', '/mailbox/count', `/mailbox/${both[0]!['id']}`]) {
      expect(await viewer.request('GET', path)).toMatchObject({ status: 403 });
    }
  });

  it('counts up to ten thousand, and by recipient among the twenty thousand newest', async () => {
    const { projectId } = await insertOrganization(instance);
    const email = uniqueEmail();
    const insertMails = (count: number): Promise<unknown> =>
      instance.sql(
        `INSERT INTO mails (id, project_id, kind, recipient, parameters, state)
         SELECT gen_random_uuid(), $1, 'password-changed', $2, '', 'kept' FROM generate_series(1, $3::int)`,
        [projectId, email, count],
      );
    await insertMails(10_500);
    expect(await getCount(operator, '/mailbox')).toEqual(full);
    expect(await getCount(operator, '/mailbox', { projectId })).toEqual(full);
    expect(await getCount(operator, '/mailbox', { projectId, email })).toEqual(full);
    expect(await getCount(operator, '/mailbox', { projectId, email: uniqueEmail() })).toEqual(zero);
    await insertMails(10_000);
    expect(await getCount(operator, '/mailbox', { projectId, email: uniqueEmail() })).toMatchObject({
      isMore: true,
    });
    await instance.sql('DELETE FROM mails WHERE project_id = $1', [projectId]);
  });

  it('MQ-01: health and overview count emails dropped by a limit in the last hour', async () => {
    const { projectId } = await insertOrganization(instance);
    await instance.sql(
      `INSERT INTO mails (id, project_id, kind, recipient, state, reason, created_at)
       SELECT gen_random_uuid(), $1, 'verify-email', 'ada@example.com', 'dropped', reason, now() - age
       FROM (VALUES ('project_limit', interval '59 min'), ('project_limit', '61 min'), ('too_soon', '1 min'))
         AS dropped (reason, age)`,
      [projectId],
    );
    expect((await viewer.request('GET', '/health')).body.mail).toMatchObject({ overLimit: 1 });
    const { projectId: other } = await insertProject(instance, instance.credentials.organizationId);
    expect((await viewer.request('GET', `/overview?projectId=${other}`)).body).toMatchObject({
      mailsOverLimit: { count: 1, isMore: false },
    });
    await instance.sql('DELETE FROM mails WHERE project_id = $1', [projectId]);
  });

  it('rejects a test email without a mail server', async () => {
    expect(await admin.request('POST', '/health/test-mail', { to: uniqueEmail() })).toMatchObject({
      status: 409,
      body: { code: 'conflict' },
    });
    expect((await viewer.request('GET', '/health')).body.mail).toMatchObject({ configured: false });
  });
});

describe('the list of locked customers', () => {
  const names = ['open', 'over', 'locked', 'closed', 'factor', 'both'] as const;
  const failFactors = (id: string, count: number): Promise<unknown> =>
    instance.sql(
      `INSERT INTO factor_attempts (customer_id, tries, window_ends_at, failures)
       VALUES ($1, $2, now() + interval '1 hour', $2)`,
      [id, count],
    );

  it('contains reasons, filters by project, and is ordered by the end of the lock, latest first', async () => {
    const mark = `locked-${randomUUID()}`;
    const ids = {} as Record<(typeof names)[number], string>;
    for (const name of names) {
      const customer = { email: `${mark}-${name}@example.com`, password: PASSWORD };
      ids[name] = (await instance.requestWithSecretKey('POST', '/api/v1/customers', customer)).body.id;
    }
    for (const [name, failures] of Object.entries({
      open: { inWindow: 9 },
      over: { inWindow: 0, consecutive: 50 },
      locked: { inWindow: 10 },
      closed: { inWindow: 0, consecutive: 100 },
      both: { inWindow: 10, consecutive: 110 },
    }))
      await setFailedSignIns(instance, `${mark}-${name}@example.com`, failures);
    await failFactors(ids.open, 9);
    await failFactors(ids.factor, 10);
    await failFactors(ids.both, 10);
    await instance.sql(
      `INSERT INTO customer_addresses (customer_id, address_block, last_login_at)
       VALUES ($1, '192.0.2.1', now() - interval '29 days'), ($1, '192.0.2.2', now() - interval '31 days')`,
      [ids.locked],
    );

    const expected = [...[ids.both, ids.factor].sort().reverse(), ids.locked, ids.closed];
    const { projectId, organizationId } = instance.credentials;
    const queries: Record<string, string>[] = [{ limit: '1' }, { limit: '50' }, { projectId }];
    for (const query of queries)
      expect(await listAndCount('/customers', { locked: 'true', q: mark, ...query })).toEqual(expected);
    const other = await insertProject(instance, organizationId);
    const elsewhere = { locked: 'true', projectId: other.projectId };
    expect(await listAndCount('/customers', elsewhere)).toEqual([]);

    const none = { failedPasswords: 0, consecutiveFailures: 0, failedSecondFactors: 0, knownAddresses: 0 };
    const inWindow = { failedPasswords: 10, consecutiveFailures: 10 };
    const times = { until: expect.stringMatching(/Z$/), lastFailedAt: expect.stringMatching(/Z$/) };
    const { body } = await viewer.request('GET', `/customers?q=${mark}`);
    const locks = Object.fromEntries(
      body.data.map((row: { id: string; lock: unknown }) => [row.id, row.lock]),
    );
    expect(names.map((name) => locks[ids[name]])).toEqual([
      null,
      null,
      { ...none, ...times, ...inWindow, knownAddresses: 1, reasons: ['failed_passwords'] },
      { ...none, ...times, until: null, consecutiveFailures: 100, reasons: ['closed_password'] },
      { ...none, ...times, failedSecondFactors: 10, reasons: ['failed_second_factors'] },
      {
        ...{ ...none, ...times, until: null, failedPasswords: 10, consecutiveFailures: 110 },
        ...{
          failedSecondFactors: 10,
          reasons: ['failed_passwords', 'closed_password', 'failed_second_factors'],
        },
      },
    ]);
    const lockOf = async (id: string) => (await viewer.request('GET', `/customers/${id}`)).body.lock;
    expect(await lockOf(ids.locked)).toEqual(locks[ids.locked]);
    expect(await operator.request('POST', `/customers/${ids.both}/unlock`)).toMatchObject({ status: 200 });
    expect(await lockOf(ids.both)).toBeNull();
  });

  it("contains the customers whose failures reach the project's limits", async () => {
    const { email, id } = await registerCustomer(instance);
    await setFailedSignIns(instance, email, { inWindow: 10 });
    const isLocked = async () => (await viewer.request('GET', `/customers/${id}`)).body.lock !== null;
    const listed = () => listAndCount('/customers', { locked: 'true', email });
    await withSettings(instance, { limits: { failedLogin: 11 } }, async () => {
      expect([await isLocked(), await listed()]).toEqual([false, []]);
    });
    expect([await isLocked(), await listed()]).toEqual([true, [id]]);
  });

  it('rejects a secret key', async () => {
    const response = await instance.requestWithSecretKey('GET', '/api/v1/customers?locked=true');
    expect(response).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
  });
});

describe('the audit log as CSV', () => {
  const exportCsv = async (query: Record<string, string>) => {
    const response = await viewer.request('GET', `/audit-log.csv?${new URLSearchParams(query)}`);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/csv; charset=utf-8; header=present',
    ]);
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="audit-log.csv"');
    return (response.body as string).split('\r\n');
  };

  it('contains all entries of the list, beyond its page size, and no formula', async () => {
    const target = randomUUID();
    await instance.sql(
      `INSERT INTO audit_log (id, actor_type, actor_id, action, target_type, target_id, user_agent, details, created_at)
       SELECT ('ffffffff-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'operator', $1, 'operator.updated',
         'operator', $2, CASE WHEN n = 1 THEN '=cmd|''/C calc''!A0' ELSE 'Console, "new"' END, '{"changed":["role"]}',
         now()
       FROM generate_series(1, 2500) n`,
      [operator.operator.id, target],
    );
    const lines = await exportCsv({ targetId: target });
    expect(lines[0]).toBe(
      'createdAt,action,actorType,actorId,actorName,targetType,targetId,targetName,organizationId,projectId,ip,userAgent,requestId,details,id',
    );
    expect(lines.pop()).toBe('');
    const ids = lines.slice(1).map((line) => line.split(',').at(-1));
    expect(ids).toEqual(await listAll(viewer, '/audit-log', { targetId: target }));
    expect(ids).toHaveLength(2500);
    expect(lines[1]).toContain(`,operator,${operator.operator.id},${operator.operator.email},operator,`);
    expect(lines[1]).toContain(`"Console, ""new""",,"{""changed"":[""role""]}",`);
    expect(lines.at(-1)).toContain(`,'=cmd|'/C calc'!A0,`);
  });

  it('accepts the filters of the list, but no limit', async () => {
    expect(await exportCsv({ targetId: randomUUID() })).toHaveLength(2);
    expect(await viewer.request('GET', '/audit-log.csv?limit=1')).toMatchObject({ status: 400 });
  });
});

describe('the customer list as CSV', () => {
  const exportCsv = (query: Record<string, string>, client = operator) =>
    client.request('GET', `/customers/export?${new URLSearchParams(query)}`);

  it('contains all customers of the list, beyond its page size, without formulas and hashes', async () => {
    const { projectId, organizationId } = await insertOrganization(instance);
    await instance.sql(
      `INSERT INTO customers (id, project_id, email, first_name, last_name, password_hash, disabled_at, metadata)
       SELECT gen_random_uuid(), $1, 'n' || n || '@example.com', CASE WHEN n = 1 THEN '=1+1' END, 'Doe, "Jo"', 'hash-' || n,
         CASE WHEN n <= 2 THEN now() END, '{"a":1}' FROM generate_series(1, 2500) n`,
      [projectId],
    );
    const response = await exportCsv({ projectId });
    expect(['content-type', 'content-disposition'].map((name) => response.headers.get(name))).toEqual([
      'text/csv; charset=utf-8; header=present',
      'attachment; filename="customers.csv"',
    ]);
    const [names, ...lines] = (response.body as string).split('\r\n');
    expect(names).toBe(
      'email,firstName,lastName,emailVerified,externalId,locale,mfa,createdAt,updatedAt,lastLoginAt,disabledAt,metadata,publicMetadata,imageUrl,projectId,id',
    );
    expect(lines.pop()).toBe('');
    const ids = lines.map((line) => line.split(',').at(-1));
    expect(ids).toEqual(await listAll(viewer, '/customers', { projectId }));
    expect(response.body).not.toContain('hash-');
    const first = lines.find((line) => line.startsWith('n1@example.com,'));
    expect(first).toContain(`,'=1+1,"Doe, ""Jo""",false,,,inherit,`);
    expect(first).toContain(',"{""a"":1}",{},,');
    const disabled = await exportCsv({ projectId, disabled: 'true' });
    expect((disabled.body as string).split('\r\n')).toHaveLength(4);
    expect(await findAuditEntries(response.headers.get('x-request-id'))).toMatchObject([
      {
        action: 'operator.customers_exported',
        targetId: operator.operator.id,
        details: { filters: ['projectId'] },
        organizationId,
        projectId,
      },
    ]);
  });

  it('requires the role operator and a known project, and accepts no limit', async () => {
    expect(await exportCsv({}, viewer)).toMatchObject({ status: 403 });
    expect(await exportCsv({ projectId: randomUUID() })).toMatchObject({ status: 404 });
    expect(await exportCsv({ limit: '1' })).toMatchObject({ status: 400 });
  });
});

describe('the customer routes for operators', () => {
  it('disable and enable a customer once, with a reason for the audit log', async () => {
    const { id } = await registerCustomer(instance);
    for (const verb of ['disable', 'enable']) {
      const send = () => operator.request('POST', `/customers/${id}/${verb}`, { reason: 'Ticket 4711' });
      const first = await send();
      expect(first).toMatchObject({ status: 200, body: { id } });
      expect(await findAuditEntries(first.headers.get('x-request-id'))).toMatchObject([
        { action: `customer.${verb}d`, targetId: id, details: { reason: 'Ticket 4711' } },
      ]);
      const again = await send();
      expect(again.body).toEqual(first.body);
      expect(await findAuditEntries(again.headers.get('x-request-id'))).toEqual([]);
    }
  });

  it('return hasPassword, but not to API keys', async () => {
    const email = uniqueEmail();
    const { id } = (
      await instance.requestWithSecretKey('POST', '/api/v1/customers', { email, sendInvite: true })
    ).body;
    const path = `/customers/${id}`;
    const asKey = (await instance.requestWithSecretKey('GET', `/api/v1${path}`)).body;
    expect(asKey).not.toHaveProperty('hasPassword');
    expect((await viewer.request('GET', path)).body).toEqual({ ...asKey, lock: null, hasPassword: false });
    const token = await instance.getMailToken(email, 'accept-invite');
    await instance.request('POST', '/api/v1/auth/reset-password', { body: { token, password: PASSWORD } });
    expect((await viewer.request('GET', path)).body).toMatchObject({ id, hasPassword: true });
  });
});

describe.each(['projects', 'organizations'] as const)('%s for operators', (noun) => {
  const create = async (name: string, slug: string): Promise<string> => {
    const { organizationId } = instance.credentials;
    const body = { name, slug, ...(noun === 'projects' && { organizationId }) };
    return (await admin.request('POST', `/${noun}`, body)).body.id;
  };
  const list = (q: string, more: Record<string, string> = {}) => listAndCount(`/${noun}`, { q, ...more });

  it('finds and counts by id or part of the name or slug, case-insensitively, newest first', async () => {
    const marker = randomUUID().slice(0, 8);
    const byName = await create(`Öl ${marker} "100%" & Söhne`, `a-${marker}-a`);
    const bySlug = await create(`Elsewhere ${marker}`, `ol-${marker}`);
    const byBoth = await create(`Ol-${marker}-b`, `ol-${marker}-b`);
    expect(await list(` ÖL ${marker} `)).toEqual([byName]);
    expect(await list(`öl ${marker} "100%" & s`)).toEqual([byName]);
    expect(await list(`OL-${marker}`, { limit: '1' })).toEqual([byBoth, bySlug]);
    expect(await list(byName)).toEqual([byName]);
    expect(await list(byName.toUpperCase())).toEqual([byName]);
    expect(await list(marker)).toEqual([byBoth, bySlug, byName]);
    expect(await list('100%')).toEqual([byName]);
    for (const text of ['%%', '_l', randomUUID(), `${marker}'; --`, '\\']) {
      expect([text, await list(text)]).toEqual([text, []]);
    }
    expect(await viewer.request('GET', `/${noun}?q=%20`)).toMatchObject({ status: 400 });
    for (const query of ['limit=1', 'cursor=x']) {
      expect(await viewer.request('GET', `/${noun}/count?${query}`)).toMatchObject({ status: 400 });
    }
    expect(await instance.requestWithSecretKey('GET', `/api/v1/${noun}?q=ol`)).toMatchObject({ status: 400 });
    expect(await instance.requestWithSecretKey('GET', `/api/v1/${noun}/count`)).toMatchObject({
      status: 404,
    });
  });
});

it('projects, organizations and endpoints are counted up to ten thousand', async () => {
  const { organizationId } = instance.credentials;
  const marker = `https://${randomUUID()}.example.com/`;
  // session_replication_role = replica skips the foreign key checks, which would take most of the time.
  await instance.sql(
    `BEGIN; SET LOCAL session_replication_role = replica;
     INSERT INTO organizations (id, name, slug)
     SELECT gen_random_uuid(), '${marker}' || n, '${marker}' || n FROM generate_series(1, 10500) n;
     INSERT INTO projects (id, organization_id, name, slug, archived_at)
     SELECT gen_random_uuid(), '${organizationId}', '${marker}' || n, '${marker}' || n,
       CASE WHEN n % 2 = 0 THEN now() END FROM generate_series(1, 10500) n;
     INSERT INTO webhook_endpoints (id, organization_id, level, url, events, secret, status)
     SELECT gen_random_uuid(), '${organizationId}', 'organization', '${marker}' || n, '{}', '',
       CASE WHEN n % 2 = 0 THEN 'disabled' ELSE 'enabled' END FROM generate_series(1, 10500) n;
     COMMIT`,
  );
  for (const [path, filter] of [
    ['/organizations', {}],
    ['/projects', { organizationId }],
    ['/webhooks/endpoints', {}],
  ] as const) {
    expect([path, await getCount(viewer, path)]).toEqual([path, full]);
    // Both the names and the URLs begin with the marker, which is a URL.
    expect([path, await getCount(viewer, path, { q: marker, ...filter })]).toEqual([path, full]);
  }
  const half = { count: 5_250, isMore: false };
  expect(await getCount(viewer, '/projects', { q: marker, archived: 'true' })).toEqual(half);
  expect(await getCount(viewer, '/webhooks/endpoints', { q: marker, status: 'disabled' })).toEqual(half);
  await instance.sql(
    `BEGIN; SET LOCAL session_replication_role = replica;
     DELETE FROM projects WHERE starts_with(name, '${marker}');
     DELETE FROM organizations WHERE starts_with(name, '${marker}');
     DELETE FROM webhook_endpoints WHERE starts_with(url, '${marker}');
     COMMIT`,
  );
});

it("the project search accepts other filters, and rejects another search's cursor", async () => {
  const { organizationId } = await insertOrganization(instance);
  const marker = randomUUID();
  const create = async (environment: string): Promise<string> => {
    const body = { organizationId, name: `${marker} ${environment}`, slug: environment, environment };
    return (await admin.request('POST', '/projects', body)).body.id as string;
  };
  const [first, second] = [await create('development'), await create('production')];
  await admin.request('POST', `/projects/${first}/archive`);
  for (const [filter, ids] of [
    [{ organizationId }, [second, first]],
    [{ environment: 'production' }, [second]],
    [{ organizationId: instance.credentials.organizationId }, []],
    [{ archived: 'true' }, [first]],
    [{ archived: 'false', organizationId }, [second]],
  ] as [Record<string, string>, string[]][])
    expect([filter, await listAndCount('/projects', { q: marker, ...filter })]).toEqual([filter, ids]);
  const { nextCursor } = (await viewer.request('GET', `/projects?limit=1&q=${marker}`)).body;
  const path = `/projects?limit=1&cursor=${nextCursor}`;
  expect(await viewer.request('GET', `${path}&q=${marker}`)).toMatchObject({ status: 200 });
  expect(await viewer.request('GET', path)).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } });
});

describe('the endpoint list for operators', () => {
  it('finds endpoints by id, by part of the URL and by status', async () => {
    const marker = randomUUID();
    const created: string[] = [];
    for (const end of ['a', 'b', 'c']) {
      created.unshift((await instance.createEndpoint(`https://${marker}.example.com/hooks/${end}`)).id);
    }
    await instance.requestWithSecretKey('POST', `/v1/webhooks/endpoints/${created[1]}/disable`);
    const list = (query: Record<string, string>) => listAndCount('/webhooks/endpoints', query);
    const q = `https://${marker}.example.com/`;
    expect(await list({ q, limit: '2' })).toEqual(created);
    expect(await list({ q: `${q}hooks/c` })).toEqual([created[0]]);
    expect(await list({ q: created[2]! })).toEqual([created[2]]);
    expect(await list({ q, status: 'disabled' })).toEqual([created[1]]);
    expect(await list({ q, status: 'enabled' })).toEqual([created[0], created[2]]);
    expect(await list({ q, project_id: instance.credentials.projectId })).toEqual(created);
    expect(await list({ q, project_id: randomUUID() })).toEqual([]);
    expect(await list({ project_id: instance.credentials.projectId, status: 'disabled' })).toEqual([
      created[1],
    ]);
    expect(await list({ q: created[2]!, status: 'disabled' })).toEqual([]);
    expect(await list({ q: marker.toUpperCase() })).toEqual(created);
    for (const text of [`${marker}_`, `ep_${randomUUID()}`, 'https://elsewhere.example.com']) {
      expect(await list({ q: text })).toEqual([]);
    }
    await instance.requestWithSecretKey('DELETE', `/v1/webhooks/endpoints/${created[0]}`);
    expect(await list({ q })).toEqual(created.slice(1));
    expect(
      await instance.requestWithSecretKey('GET', `/v1/webhooks/endpoints?status=disabled`),
    ).toMatchObject({
      status: 400,
    });
  });

  it('contains their organization, but not for API keys', async () => {
    const { id } = await instance.createEndpoint('https://whose.example.com/');
    const { organizationId } = instance.credentials;
    const path = `/webhooks/endpoints`;
    expect((await viewer.request('GET', `${path}/${id}`)).body.data).toMatchObject({
      id,
      organization_id: organizationId,
    });
    expect((await viewer.request('GET', `${path}?q=${id}`)).body.data).toMatchObject([
      { id, organization_id: organizationId },
    ]);
    expect((await instance.requestWithSecretKey('GET', `/v1${path}/${id}`)).body.data).not.toHaveProperty(
      'organization_id',
    );
  });
});
