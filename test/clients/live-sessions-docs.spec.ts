import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { decodeJwt } from 'jose';
import { DocumentFolder } from '../support/document-folder.js';
import { freePort } from '../support/server-process.mjs';
import { insertKey } from '../support/tenants.js';
import { TestInstance } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
let document: DocumentFolder;
let env: Record<string, string>;
let customer: { id: string; externalId: string };
const sessions: Record<'live' | 'unknown' | 'old', string> = {
  ...{ live: randomUUID(), unknown: randomUUID(), old: randomUUID() },
};
const signedInAt = new Date(Date.now() - 86_400_000).toISOString();

/** A page in a browser that has a cookie from the previous system. */
const page = `
import { createClient } from '@gatehouse/js';
import { keepSignedIn } from './keep-signed-in.mjs';
const { APP_URL, GATEHOUSE_URL, GATEHOUSE_PUBLISHABLE_KEY } = process.env;
let cookie = 'theme=dark; old_session=' + process.argv[2];
const requests = [];
const send = globalThis.fetch;
globalThis.fetch = async (url, init) => {
  if (!String(url).startsWith('/')) return send(url, init);
  requests.push(init.method);
  const response = await send(APP_URL + url, { ...init, headers: { cookie } });
  if (response.headers.get('set-cookie')?.includes('Max-Age=0')) cookie = null;
  return response;
};
const client = createClient({ url: GATEHOUSE_URL, publishableKey: GATEHOUSE_PUBLISHABLE_KEY });
for (let visit = 0; visit < 2; visit += 1) await keepSignedIn(client);
console.log(JSON.stringify({ accessToken: await client.getAccessToken(), requests, cookie }));
`;

/** A backend that calls the Next.js route handler and keeps the tokens on the server. */
const backend = `
import { openSession } from './migration.mjs';
import { DELETE, POST } from './app/migrate-session/route.js';
const headers = { cookie: 'old_session=' + process.argv[2] };
const { token } = await (await POST(new Request('http://localhost/', { method: 'POST', headers }))).json();
const { tokens } = await openSession(token, '203.0.113.7', 'Mozilla/5.0 (X11; Linux) Firefox/140.0');
console.log(JSON.stringify({ ...tokens, cookie: DELETE().headers.get('set-cookie') }));
`;

beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  const { projectId, publishableKey } = instance.credentials;
  const externalId = `auth0|${randomUUID()}`;
  const body = { email: uniqueEmail(), externalId };
  const created = await instance.requestWithSecretKey('POST', '/api/v1/customers', body);
  customer = { id: created.body.id, externalId };
  const scopes = ['customer:read', 'customer:write', 'session:migrate'];
  const methods = ['pwd', 'otp'];
  const known = { userId: externalId, signedInAt, methods };
  document = await DocumentFolder.create('docs/moving-in/live-sessions.md');
  await document.write('page.mjs', page);
  await document.write('backend.mjs', backend);
  const port = await freePort();
  env = {
    GATEHOUSE_URL: instance.baseUrl,
    GATEHOUSE_PROJECT_ID: projectId,
    GATEHOUSE_PUBLISHABLE_KEY: publishableKey,
    GATEHOUSE_MIGRATION_KEY: await insertKey(instance, { ...instance.credentials, type: 'secret', scopes }),
    OLD_SESSIONS: JSON.stringify([
      [sessions.live, known],
      [sessions.unknown, { ...known, userId: 'auth0|unknown' }],
      [sessions.old, { ...known, signedInAt: '2020-01-01T00:00:00.000Z' }],
    ]),
    APP_URL: `http://127.0.0.1:${port}`,
    PORT: String(port),
  };
  await document.start([process.execPath, 'express-migration.mjs'], env['APP_URL']!, env);
});
afterAll(async () => {
  await document?.close();
  await instance?.stop();
});

/** Runs a file with a session cookie. @returns its result */
async function run(file: string, session: string): Promise<any> {
  const options = { cwd: document.path, env: { PATH: process.env['PATH'], ...env } };
  const { stdout } = await promisify(execFile)(process.execPath, [file, session], options);
  return JSON.parse(stdout);
}

const expectedClaims = {
  ...{ amr: ['pwd', 'otp', 'mfa'], auth_time: Math.floor(Date.parse(signedInAt) / 1_000) },
};

it('the page exchanges a live session once, at the first visit, and removes the old cookie', async () => {
  const { accessToken, ...others } = await run('page.mjs', sessions.live);
  expect(decodeJwt(accessToken)).toMatchObject({ sub: customer.id, ...expectedClaims });
  expect(others).toEqual({ requests: ['POST', 'DELETE'], cookie: null });
});

it.each(['unknown', 'old'] as const)(
  'the page requires a sign-in for a session that cannot be moved: %s',
  async (name) => {
    const result = await run('page.mjs', sessions[name]);
    expect(result).toMatchObject({ accessToken: null, requests: ['POST', 'POST'] });
    expect(result.cookie).toContain(sessions[name]);
  },
);

it("the backend exchanges a live session and passes the customer's client IP", async () => {
  const { accessToken, cookie } = await run('backend.mjs', sessions.live);
  const { sid, ...claims } = decodeJwt(accessToken);
  expect(claims).toMatchObject({ sub: customer.id, ...expectedClaims });
  expect(cookie).toContain('Max-Age=0');
  const { body } = await instance.requestWithSecretKey('GET', `/api/v1/customers/${customer.id}/sessions`);
  expect(body.data.find(({ id }: { id: string }) => id === sid)).toMatchObject({ ip: '203.0.113.7' });
});
