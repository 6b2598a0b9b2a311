import { execFile } from 'node:child_process';
import { generateKeyPairSync, randomUUID, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import bcrypt from 'bcrypt';
import { decodeJwt, decodeProtectedHeader, SignJWT, UnsecuredJWT } from 'jose';
import { checkCases } from '../support/check-cases.js';
import { submitToken, withSettings } from '../support/customers.js';
import { DocumentFolder } from '../support/document-folder.js';
import { readSigningKey } from '../support/signing-key.js';
import { bearerHeader, TestInstance, PASSWORD } from '../support/test-instance.js';
import { freePort } from '../support/server-process.mjs';
import { uniqueEmail } from '../support/unique-email.js';

const DOCUMENT = 'docs/backend.md';
const root = process.cwd();

let instance: TestInstance;
let document: DocumentFolder;
let folder: string;

beforeAll(async () => {
  instance = await TestInstance.startShared();
  document = await DocumentFolder.create(DOCUMENT);
  folder = document.path;
});
afterAll(async () => {
  await document?.close();
  await instance?.stop();
});

const environment = (): Record<string, string> => ({
  GATEHOUSE_URL: instance.baseUrl,
  GATEHOUSE_PROJECT_ID: instance.credentials.projectId,
  GATEHOUSE_PUBLISHABLE_KEY: instance.credentials.publishableKey,
  GATEHOUSE_SECRET_KEY: instance.credentials.projectSecretKey,
});

/** Starts a program of the document. @returns its URL once it accepts connections */
async function serve(file: string, env: Record<string, string> = {}): Promise<string> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  await document.start([process.execPath, file], url, { ...environment(), PORT: String(port), ...env });
  return url;
}

/** Compiles the document's TypeScript with the strict compiler options that a reader may use. */
async function compileNest(): Promise<void> {
  const compilerOptions = {
    target: 'es2023',
    module: 'nodenext',
    strict: true,
    experimentalDecorators: true,
    emitDecoratorMetadata: true,
    allowJs: true,
    skipLibCheck: true,
    types: ['node'],
    outDir: 'compiled',
  };
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['nest-orders.ts'] }),
  );
  const tsc = join(root, 'node_modules/typescript-7/bin/tsc');
  await promisify(execFile)(process.execPath, [tsc, '--project', folder]).catch(({ stdout }) => {
    throw new Error(stdout as string);
  });
}

describe.each([
  ['Express', 'express-orders.mjs'],
  ['Fastify', 'fastify-orders.mjs'],
  ['NestJS', 'compiled/nest-orders.js'],
])('offline verification in %s', (name, file) => {
  let ordersUrl: string;
  beforeAll(async () => {
    if (name === 'NestJS') await compileNest();
    ordersUrl = `${await serve(file)}/orders`;
  });

  const get = async (token?: string, url = ordersUrl) => {
    const response = await fetch(url, token === undefined ? {} : { headers: bearerHeader(token) });
    const text = await response.text();
    return { status: response.status, challenge: response.headers.get('www-authenticate'), text };
  };
  const newToken = async (): Promise<string> => (await instance.register()).body.tokens.accessToken;

  it('accepts a valid token, and rejects tokens with the wrong claims, key or purpose', async () => {
    const { customer, tokens } = (await instance.register()).body;
    const token = tokens.accessToken as string;
    const accepted = await get(token);
    expect(accepted.status).toBe(200);
    expect(JSON.parse(accepted.text)).toEqual({ customerId: customer.id, plan: null, orders: [] });

    const [head, payload, signature] = token.split('.') as [string, string, string];
    const [header, claims, key] = [
      decodeProtectedHeader(token),
      decodeJwt(token),
      await readSigningKey(instance, token),
    ];
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const modifiedClaims = Buffer.from(JSON.stringify({ ...claims, plan: 'gold' })).toString('base64url');
    const sign = (signer: KeyObject | Uint8Array, changed: object, headers: object = {}): Promise<string> =>
      new SignJWT({ ...claims, ...changed })
        .setProtectedHeader({ ...header, alg: 'ES256', ...headers })
        .sign(signer);
    expect((await get(await sign(key, {}))).status).toBe(200);
    const invalid: [string, string | undefined][] = [
      ['no token', undefined],
      ['a word', 'token'],
      ['no signature', `${head}.${payload}.`],
      ['other claims', `${head}.${modifiedClaims}.${signature}`],
      ['another key', await sign(other, {})],
      ['an unknown key', await sign(other, {}, { kid: 'unknown' })],
      ['alg none', new UnsecuredJWT(claims).encode()],
      ['a shared secret', await sign(Buffer.alloc(32), {}, { alg: 'HS256' })],
      ['expired', await sign(key, { exp: Math.floor(Date.now() / 1000) - 10 })],
      ['another project', await sign(key, { aud: randomUUID() })],
      ['another issuer', await sign(key, { iss: 'https://example.com' })],
      ['another type', await sign(key, {}, { typ: 'JWT' })],
      ['no expiry', await sign(key, { exp: undefined })],
    ];
    await checkCases(invalid, async (value) => {
      const rejected = { status: 401, challenge: 'Bearer error="invalid_token"' };
      expect(await get(value)).toEqual({
        ...rejected,
        text: expect.stringContaining('invalid_access_token'),
      });
    });
  });

  it('accepts a token with a custom claim, even right after its session has ended', async () => {
    await withSettings(instance, { accessTokenClaims: ['plan'] }, async () => {
      const email = uniqueEmail();
      const plans = { publicMetadata: { plan: 'free' }, metadata: { plan: 'x' } };
      await instance.requestWithSecretKey('POST', '/api/v1/customers', {
        email,
        password: PASSWORD,
        ...plans,
      });
      const { customer, tokens } = (await instance.login(email)).body;
      const shown = JSON.parse((await get(tokens.accessToken)).text);
      expect(shown).toMatchObject({ customerId: customer.id, plan: 'free' });
      await instance.requestWithAccessToken(tokens.accessToken, 'POST', '/api/v1/auth/logout');
      expect((await get(tokens.accessToken)).status).toBe(200);
    });
  });

  it('returns 503 instead of 401 while the public keys cannot be fetched', async () => {
    const unreachable = await serve(file, { GATEHOUSE_URL: `http://127.0.0.1:${await freePort()}` });
    expect((await get(await newToken(), `${unreachable}/orders`)).status).toBe(503);
    expect((await get(undefined, `${unreachable}/orders`)).status).toBe(401);
  });
});

describe('a server that acts on behalf of a customer', () => {
  let loginUrl: string;
  beforeAll(async () => (loginUrl = `${await serve('express-login.mjs')}/login`));

  const logIn = (email: string, password: string, ip: string): Promise<Response> =>
    fetch(loginUrl, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-forwarded-for': ip,
        'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      },
      body: JSON.stringify({ email, password }),
    });

  it("passes on the customer's client IP and browser, and returns the errors of failed logins", async () => {
    const email = uniqueEmail();
    const { body } = await instance.register(email);
    const response = await logIn(email, PASSWORD, '203.0.113.7');
    expect(await response.json()).toMatchObject({ tokens: { accessToken: expect.any(String) } });
    const sessions = await instance.requestWithSecretKey(
      'GET',
      `/api/v1/customers/${body.customer.id}/sessions`,
    );
    expect(sessions.body.data).toMatchObject([
      { ip: '203.0.113.7', device: 'Firefox on Linux' },
      { ip: '127.0.0.1' },
    ]);

    let last = await logIn(email, 'wrong', '203.0.113.8');
    expect([last.status, await last.json()]).toMatchObject([401, { code: 'invalid_credentials' }]);
    for (let attempts = 2; attempts <= 40 && last.status === 401; attempts += 1)
      last = await logIn(email, 'wrong', '203.0.113.8');
    expect([last.status, await last.json()]).toMatchObject([429, { code: 'too_many_attempts' }]);
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
    // Failed logins from other client IPs do not block a client IP from which the customer has signed in.
    expect((await logIn(email, PASSWORD, '203.0.113.8')).status).toBe(429);
    expect((await logIn(email, PASSWORD, '203.0.113.7')).status).toBe(200);
  });
});

describe('a server that manages customers', () => {
  /** Runs statements with the document's functions in scope, in a separate process. */
  async function run(statements: string, extraEnv: Record<string, string> = {}): Promise<any> {
    await mkdir(join(folder, 'runs'), { recursive: true });
    const file = join(folder, 'runs', `${randomUUID()}.mjs`);
    const moduleUrl = JSON.stringify(pathToFileURL(join(folder, 'customers.mjs')).href);
    await writeFile(
      file,
      `import * as customers from ${moduleUrl};
       const attempt = (work) => work.catch(({ status, code, problem }) => ({ status, code, problem }));
       console.log(JSON.stringify(await (async () => { ${statements} })()));`,
    );
    const env = { PATH: process.env['PATH'], ...environment(), ...extraEnv };
    const { stdout } = await promisify(execFile)(process.execPath, [file], { env });
    return JSON.parse(stdout);
  }

  it('invites a customer and imports a password hash', async () => {
    const email = uniqueEmail();
    const customer = await run(`return customers.invite('${email}', 'crm-${email}')`);
    expect(customer).toMatchObject({ email, emailVerified: false, publicMetadata: { plan: 'free' } });
    await submitToken(
      instance,
      'reset-password',
      await instance.getMailToken(email, 'accept-invite'),
      PASSWORD,
    );
    const verified = { id: customer.id, emailVerified: true };
    expect(await instance.login(email)).toMatchObject({ status: 200, body: { customer: verified } });
    expect(await run(`return attempt(customers.invite('${email}', 'crm'))`)).toMatchObject({
      status: 409,
      code: 'email_already_registered',
      problem: { customerId: customer.id },
    });
    expect(await run(`return attempt(customers.invite('new-${email}', 'crm-${email}'))`)).toMatchObject({
      code: 'external_id_taken',
    });

    const other = uniqueEmail();
    await run(`return customers.importCustomer('${other}', '${bcrypt.hashSync(PASSWORD, 4)}')`);
    expect((await instance.login(other)).body).toMatchObject({ customer: { emailVerified: true } });
    const rejected = { code: 'validation_failed', problem: { errors: [{ field: 'passwordHash' }] } };
    expect(await run(`return attempt(customers.importCustomer('x-${other}', 'md5$abc'))`)).toMatchObject(
      rejected,
    );
  });

  it('creates a customer once, even if the first response is lost', async () => {
    let lostResponses = 0;
    const proxy = createServer((caller) => {
      const gatehouse = connect(Number(instance.env['PORT']), '127.0.0.1');
      caller.pipe(gatehouse);
      gatehouse.on('data', (chunk) => {
        if (lostResponses > 0) return void caller.write(chunk);
        lostResponses += 1;
        caller.destroy();
        gatehouse.destroy();
      });
      for (const socket of [caller, gatehouse])
        socket.on('error', () => undefined).on('close', () => caller.destroy());
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const email = uniqueEmail();
    const GATEHOUSE_URL = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const customer = await run(`return customers.invite('${email}', '${email}')`, { GATEHOUSE_URL });
    proxy.close();
    expect({ lost: lostResponses, customer }).toMatchObject({ lost: 1, customer: { email } });
    expect(await instance.listMails(email, 'accept-invite')).toHaveLength(1);
  });

  it('lists and revokes sessions, and disables, enables, unlocks and deletes a customer', async () => {
    const email = uniqueEmail();
    const { id } = (await instance.register(email)).body.customer as { id: string };
    for (let count = 0; count < 2; count += 1) await instance.login(email);
    const ended = await run(`
      const before = await customers.sessions('${id}');
      await customers.endSession('${id}', before[0].id);
      const between = await customers.sessions('${id}');
      await customers.endAllSessions('${id}');
      return [before.length, between.length, (await customers.sessions('${id}')).length];`);
    expect(ended).toEqual([3, 2, 0]);

    expect(await run(`return customers.disable('${id}')`)).toMatchObject({ disabledAt: expect.any(String) });
    expect(await instance.login(email)).toMatchObject({ status: 403, body: { code: 'customer_disabled' } });
    expect(await run(`return customers.enable('${id}')`)).toMatchObject({ disabledAt: null });
    expect(await instance.login(email)).toMatchObject({ status: 200 });

    while ((await instance.login(email, 'wrong')).status === 401);
    // Wrong passwords within the allowance for known client IPs. They fail in the same way as blocked attempts.
    for (let count = 1; count < 10; count += 1) await instance.login(email, 'wrong');
    expect(await instance.login(email)).toMatchObject({ status: 429, body: { code: 'too_many_attempts' } });
    await run(`return customers.unlock('${id}')`);
    expect(await instance.login(email)).toMatchObject({ status: 200 });

    const removed = await run(`await customers.remove('${id}'); return attempt(customers.find('${id}'))`);
    expect(removed).toMatchObject({ status: 404, code: 'not_found' });
  });
});
