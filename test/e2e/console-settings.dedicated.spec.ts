import { CONSOLE_HEADER, insertOperator } from '../support/operator-client.js';
import { commitWhenOthersWait } from '../support/with-concurrent-change.js';
import { listDocumentedRoutes, fillPath } from '../support/routes.js';
import { freePort } from '../support/server-process.mjs';
import { TestInstance } from '../support/test-instance.js';

let instance: TestInstance;
beforeAll(async () => {
  instance = await TestInstance.start({ workers: 0, env: { DATABASE_POOL: '4', RATE_LIMITS: 'off' } });
});
afterAll(async () => instance?.stop());

it('CO-01: replacing a session needs only one database connection, even when the pool is exhausted', async () => {
  const holder = await instance.db.connect();
  try {
    const { operator } = instance.credentials;
    const clients = await Promise.all(Array.from({ length: 4 }, () => insertOperator(instance)));
    await holder.query('BEGIN');
    await holder.query('SELECT FROM operators WHERE email = $1 FOR UPDATE', [operator.email]);
    const responses = Promise.all(clients.map((client) => client.request('POST', '/session', operator)));
    // All connections of the pool.
    await commitWhenOthersWait(holder, 4);
    expect((await responses).map(({ status }) => status)).toEqual(Array(4).fill(200));
  } finally {
    holder.release();
  }
});

it('CO-05: CONSOLE=off removes the console and its API, and nothing else', async () => {
  const routes = (await listDocumentedRoutes(instance)).filter(({ path }) => path.startsWith('/operator/'));
  expect(routes.length).toBeGreaterThan(40);
  const page = await (await fetch(`${instance.baseUrl}/console/`)).text();
  const asset = /src="([^"]+)"/.exec(page)![1]!;

  await instance.api.stop();
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  await instance.startApi({ PORT: String(port), CONSOLE: 'off' }).waitUntilReady();
  const failures: string[] = [];
  for (const path of ['/console', '/console/', '/console/sign-in', asset]) {
    const { status } = await fetch(baseUrl + path, { redirect: 'manual' });
    if (status !== 404) failures.push(`${path}: ${status}`);
  }
  const cookie = (await insertOperator(instance)).cookieHeader();
  for (const { name, method, path } of routes) {
    const response = await fetch(baseUrl + fillPath(path, {}), {
      method,
      headers: { cookie, ...CONSOLE_HEADER },
    });
    const { code } = JSON.parse(await response.text()) as { code: string };
    const outcome = `${response.status} ${response.headers.get('content-type')} ${code}`;
    if (outcome !== '404 application/problem+json; charset=utf-8 not_found')
      failures.push(`${name}: ${outcome}`);
  }
  expect(failures).toEqual([]);
  expect((await fetch(`${baseUrl}/operator/openapi.json`)).status).toBe(404);
  expect(await (await fetch(`${baseUrl}/`)).json()).not.toHaveProperty('console');
  const headers = { authorization: `Bearer ${instance.credentials.secretKey}` };
  expect((await fetch(`${baseUrl}/api/v1/organizations`, { headers })).status).toBe(200);
});
