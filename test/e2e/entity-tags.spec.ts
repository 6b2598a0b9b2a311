import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { registerCustomer } from '../support/customers.js';
import { newProvider } from '../support/identity-providers/provider-requests.js';
import { insertOperator } from '../support/operator-client.js';
import { bearerHeader, TestInstance, type TestResponse } from '../support/test-instance.js';
import { insertKey, insertOrganization, insertProject } from '../support/tenants.js';

let instance: TestInstance;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
});
afterAll(async () => instance?.stop());

const send = (
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<TestResponse> =>
  instance.request(method, path, {
    body,
    headers: { ...bearerHeader(instance.credentials.secretKey), ...headers },
  });

const patchIf = (path: string, tag: string, body: object): Promise<TestResponse> =>
  send('PATCH', path, body, { 'if-match': tag });

/** Sends a GET request with If-None-Match. `fetch` would add `Cache-Control: no-cache`, which requests the body. */
async function getIfNoneMatch(path: string, tag: string) {
  const headers = { ...bearerHeader(instance.credentials.secretKey), 'if-none-match': tag };
  const [response] = (await once(httpGet(instance.baseUrl + path, { headers }), 'response')) as [
    IncomingMessage,
  ];
  return { status: response.statusCode, tag: response.headers.etag, body: await text(response) };
}

const tagOf = ({ headers }: TestResponse): string => headers.get('etag')!;

/** A new resource, and a change to a field that its routes return. */
interface Resource {
  path: string;
  change: (value: string) => object;
}

const rename = (name: string): object => ({ name });

const creators: [kind: string, create: () => Promise<Resource>][] = [
  [
    'project',
    async () => {
      const { body } = await send('POST', '/api/v1/projects', { name: 'Tagged' });
      return { path: `/api/v1/projects/${body.id}`, change: rename };
    },
  ],
  [
    'organization',
    async () => {
      const slug = `tagged-${randomUUID()}`;
      const { body } = await send('POST', '/api/v1/organizations', { name: 'Tagged', slug });
      return { path: `/api/v1/organizations/${body.id}`, change: rename };
    },
  ],
  ['webhook endpoint', createEndpoint],
  ['identity provider', createIdentityProvider],
  [
    'email template',
    async () => {
      const { projectId } = await insertProject(instance, instance.credentials.organizationId);
      const change = (subject: string) => ({ subject });
      return { path: `/api/v1/projects/${projectId}/mail-templates/verify-email/de`, change };
    },
  ],
];

async function createEndpoint(): Promise<Resource> {
  // A separate project, because the number of endpoints per project is limited.
  const { projectId } = await insertProject(instance, instance.credentials.organizationId);
  const input = { url: 'https://example.com/hooks', project_id: projectId };
  const { body } = await send('POST', '/v1/webhooks/endpoints', input);
  const change = (description: string) => ({ description });
  return { path: `/v1/webhooks/endpoints/${body.data.id}`, change };
}

async function createIdentityProvider(): Promise<Resource> {
  const { projectId } = await insertProject(instance, instance.credentials.organizationId);
  const path = `/api/v1/projects/${projectId}/identity-providers`;
  const { body } = await send('POST', path, newProvider());
  return { path: `${path}/${body.id}`, change: rename };
}

const failed = { status: 412, body: { code: 'precondition_failed' } };

describe.each(creators)('the ETag of a new %s', (_, create) => {
  let path: string;
  let change: Resource['change'];
  beforeEach(async () => {
    ({ path, change } = await create());
  });
  const get = () => send('GET', path);

  it('appears in GET and PATCH responses; a PATCH with an earlier ETag changes nothing', async () => {
    const first = await get();
    expect(tagOf(first)).toMatch(/^"[\w-]{43}"$/);
    expect(tagOf(await get())).toBe(tagOf(first));
    const patched = await patchIf(path, tagOf(first), change('first'));
    expect(patched.status).toBe(200);
    expect(tagOf(patched)).not.toBe(tagOf(first));
    const second = await get();
    expect([tagOf(second), second.body]).toEqual([tagOf(patched), patched.body]);

    const rejected = await patchIf(path, tagOf(first), change('second'));
    expect(rejected).toMatchObject(failed);
    expect(tagOf(rejected)).toBeNull();
    expect((await get()).body).toEqual(second.body);
    expect((await patchIf(path, tagOf(second), change('second'))).status).toBe(200);
  });

  it('matches only by strong comparison; a PATCH with * or without If-Match always succeeds', async () => {
    const tag = tagOf(await get());
    const cases: [header: string, status: number][] = [
      [`W/${tag}`, 412],
      [`"a", W/${tag}`, 412],
      ['"*"', 412],
      [tag.slice(1, -1), 400],
      [`*, ${tag}`, 400],
    ];
    for (const [header, status] of cases)
      expect([header, (await patchIf(path, header, change('first'))).status]).toEqual([header, status]);
    expect(tagOf(await get())).toBe(tag);
    expect((await patchIf(path, `"a", W/"b", ${tag}`, change('first'))).status).toBe(200);
    expect((await patchIf(path, '*', change('second'))).status).toBe(200);
    expect((await send('PATCH', path, change('third'))).status).toBe(200);
  });

  it('allows exactly one of two parallel PATCH requests with the same tag', async () => {
    for (let round = 0; round < 3; round += 1) {
      const tag = tagOf(await get());
      const responses = await Promise.all(
        ['a', 'b'].map((value) => patchIf(path, tag, change(`${value}${round}`))),
      );
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 412]);
      const winner = responses.find(({ status }) => status === 200)!;
      expect((await get()).body).toEqual(winner.body);
    }
  });

  it('causes a 304 without a body for a matching GET', async () => {
    const tag = tagOf(await get());
    expect(await getIfNoneMatch(path, tag)).toEqual({ status: 304, tag, body: '' });
    expect(await getIfNoneMatch(path, '"a"')).toMatchObject({ status: 200, tag });
  });

  it('does not reveal whether an object of another tenant exists', async () => {
    const foreign = await insertOrganization(instance);
    const key = await insertKey(instance, { ...foreign, type: 'secret', access: 'organization' });
    const headers = { ...bearerHeader(key), 'if-match': tagOf(await get()) };
    expect(await instance.request('PATCH', path, { body: change('first'), headers })).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
  });
});

it("a project's ETag changes with a secret that is never returned", async () => {
  const { path } = await creators[0]![1]();
  const setSecret = (tag: string) =>
    patchIf(path, tag, {
      settings: {
        legacySignIn: {
          url: 'https://old.example.com/',
          secret: `whsec_${randomBytes(32).toString('base64')}`,
        },
      },
    });
  const first = await setSecret(tagOf(await send('GET', path)));
  const parallel = await Promise.all([setSecret(tagOf(first)), setSecret(tagOf(first))]);
  expect(parallel.map(({ status }) => status).sort()).toEqual([200, 412]);
});

it("a webhook endpoint's ETag changes with a header's value and with the endpoint's state", async () => {
  const { path } = await createEndpoint();
  const setHeader = (tag: string, value: string) => patchIf(path, tag, { headers: { 'x-tenant': value } });
  const first = await setHeader(tagOf(await send('GET', path)), 'a');
  const parallel = await Promise.all([setHeader(tagOf(first), 'b'), setHeader(tagOf(first), 'c')]);
  expect(parallel.map(({ status }) => status).sort()).toEqual([200, 412]);
  const tag = tagOf(await send('GET', path));
  expect((await send('POST', `${path}/disable`)).status).toBe(200);
  expect(await setHeader(tag, 'd')).toMatchObject(failed);
});

it("an identity provider's ETag changes with a secret that is never returned", async () => {
  const { path } = await createIdentityProvider();
  const setSecret = (tag: string) => patchIf(path, tag, { clientSecret: randomBytes(24).toString('hex') });
  const first = await setSecret(tagOf(await send('GET', path)));
  const parallel = await Promise.all([setSecret(tagOf(first)), setSecret(tagOf(first))]);
  expect(parallel.map(({ status }) => status).sort()).toEqual([200, 412]);
});

it("a customer's ETag does not change at a sign-in, although a GET returns the new time", async () => {
  const { id, email } = await registerCustomer(instance);
  const path = `/api/v1/customers/${id}`;
  const admin = await insertOperator(instance);
  const tag = tagOf(await send('GET', path));
  expect((await instance.login(email)).status).toBe(200);
  const { status, tag: sameTag, body } = await getIfNoneMatch(path, tag);
  expect([status, sameTag]).toEqual([200, tag]);
  expect(JSON.parse(body).lastLoginAt).toEqual(expect.any(String));

  const operatorPath = path.replace('/api/v1', '');
  expect(tagOf(await admin.request('GET', operatorPath))).toBe(tag);
  const patched = await patchIf(path, tag, { firstName: 'Ada' });
  expect(patched.status).toBe(200);
  const patch = (match: string) =>
    admin.request('PATCH', operatorPath, { firstName: 'Eve' }, { 'if-match': match });
  expect(await patch(tag)).toMatchObject(failed);
  const after = await patch(tagOf(patched));
  expect(after).toMatchObject({ status: 200, body: { firstName: 'Eve' } });
  expect(tagOf(after)).toBe(tagOf(await admin.request('GET', operatorPath)));
});

it("an operator's ETag prevents an admin from overwriting another admin's change of access", async () => {
  const admin = await insertOperator(instance);
  const { operator } = await insertOperator(instance, 'viewer');
  const path = `/operators/${operator.id}`;
  const patch = (tag: string, body: object) => admin.request('PATCH', path, body, { 'if-match': tag });
  const tag = tagOf(await admin.request('GET', path));
  await instance.sql('UPDATE operators SET last_login_at = now() WHERE id = $1', [operator.id]);
  const organizationIds = [instance.credentials.organizationId];
  const parallel = await Promise.all([patch(tag, { role: 'operator' }), patch(tag, { organizationIds })]);
  expect(parallel.map(({ status }) => status).sort()).toEqual([200, 412]);
  const current = await admin.request('GET', path);
  expect(parallel.map(({ headers }) => headers.get('etag'))).toContain(tagOf(current));
  expect((await patch(tagOf(current), { role: 'admin', organizationIds: null })).status).toBe(200);
});

it('operators get the same ETag as API keys, and it is checked in their PATCH requests too', async () => {
  const admin = await insertOperator(instance);
  for (const [kind, create] of creators) {
    const { path, change } = await create();
    const operatorPath = path.replace(/^(\/api)?\/v1/, '');
    const tag = tagOf(await admin.request('GET', operatorPath));
    expect([kind, tag]).toEqual([kind, tagOf(await send('GET', path))]);
    const patch = (value: string) => admin.request('PATCH', operatorPath, change(value), { 'if-match': tag });
    expect((await patch('first')).status).toBe(200);
    expect(await patch('second')).toMatchObject(failed);
  }
});
