import { execFile } from 'node:child_process';
import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import {
  encryptedColumns,
  EncryptedValuesRepository,
  type EncryptedColumn,
  type OutdatedValue,
} from '@gatehouse/persistence';
import bcrypt from 'bcrypt';
import { Webhook } from 'standardwebhooks';
import { connectDatabase } from '../support/connect-database.js';
import {
  completeChallenge,
  openChallenge,
  registerWithTotp,
  type EnrolledCustomer,
} from '../support/customer-factors.js';
import { NEW_PASSWORD, refreshSession, requestReset, submitToken } from '../support/customers.js';
import { dumpTables } from '../support/dump-tables.js';
import { eventually } from '../support/eventually.js';
import { newProvider } from '../support/identity-providers/provider-requests.js';
import { isNightly, nightlyIt } from '../support/is-nightly.js';
import { inviteOperator, OperatorClient, signIn } from '../support/operator-client.js';
import { Keyring } from '../support/platform.js';
import { Receiver } from '../support/receiver.js';
import { runGatehouse } from '../support/run-gatehouse.js';
import { entryPoints } from '../support/server-process.mjs';
import { PASSWORD, TestInstance, type TestResponse } from '../support/test-instance.js';
import { totpCode } from '../support/totp.js';

const oldSecret = randomBytes(32).toString('base64url');
const newSecret = randomBytes(32).toString('base64url');
const [newKid, oldKid] = new Keyring([newSecret, oldSecret]).listKids() as [string, string];
/**
 * How a value that is encrypted with the old secret begins in a dump. A binary value begins with the secret's id. In a
 * text value, the id is in base64.
 */
const oldCiphertexts = [`\\x${oldKid}`, `i1$${Buffer.from(oldKid, 'hex').toString('base64').slice(0, 5)}`];
const IMPORTED_PASSWORD = 'the phrase of another system';
/** More customers than one batch contains, and at night more than one page of `unreadable list`. */
const IMPORTED = isNightly ? 1_500 : 600;
const HEADERS = { 'x-shop': 'berlin' };

let instance: TestInstance;
let receiver: Receiver;
/** An admin who is signed in and has an authenticator. */
let admin: OperatorClient;
/** An operator who is signed in, with an authenticator that is not confirmed yet. */
let enrolling: OperatorClient;
let endpoint: { id: string; secret: string; previousSecret: string };
let customer: { email: string; accessToken: string; refreshToken: string };
/** A customer with an authenticator. */
let enrolled: EnrolledCustomer;
/** A challenge for an authenticator that is not confirmed yet. */
let enrollment: { challengeToken: string; secret: string };

beforeAll(async () => {
  receiver = await Receiver.start();
  instance = await TestInstance.start({
    workers: 0,
    env: { GATEHOUSE_SECRET: oldSecret, PERIODIC_JOBS: 'off', RATE_LIMITS: 'off' },
  });
  await writeValues();
});
afterAll(async () => {
  await instance?.stop();
  await receiver?.stop();
});

/** Writes values to every encrypted column. One column gets enough values for several batches. */
async function writeValues(): Promise<void> {
  const { id, secret: previousSecret } = await instance.createEndpoint(receiver.url, ['customer.created'], {
    headers: HEADERS,
  });
  const rotated = await instance.requestWithSecretKey('POST', `/v1/webhooks/endpoints/${id}/rotate-secret`);
  endpoint = { id, secret: rotated.body.data.secret, previousSecret };

  const email = 'registered@example.com';
  const { body } = await instance.register(email);
  customer = { email, ...body.tokens };

  await instance.request('POST', '/api/v1/customers', {
    body: { email: 'imported@example.com', passwordHash: bcrypt.hashSync(IMPORTED_PASSWORD, 4) },
    headers: { authorization: `Bearer ${instance.credentials.secretKey}`, 'idempotency-key': 'import-1' },
  });
  await instance.sql(
    `INSERT INTO customers (id, project_id, email, password_hash)
     SELECT gen_random_uuid(), project_id, 'imported' || n || '@example.com', password_hash
     FROM customers, generate_series(1, $1::int) n WHERE email = 'imported@example.com'`,
    [IMPORTED - 1],
  );

  const project = `/api/v1/projects/${instance.credentials.projectId}`;
  const legacySignIn = { url: receiver.url, secret: `whsec_${Buffer.alloc(32).toString('base64')}` };
  await instance.requestWithSecretKey('PATCH', project, { settings: { mfa: 'optional', legacySignIn } });
  await addProviders(`${project}/identity-providers`);
  await beginProviderSignIn();
  enrolled = await registerWithTotp(instance);
  const { id: customerId } = body.customer;
  await instance.requestWithSecretKey('PATCH', `/api/v1/customers/${customerId}`, { mfa: 'required' });
  const challengeToken = await openChallenge(instance, email);
  const path = '/api/v1/auth/challenge/enroll-totp';
  const { secret } = (await instance.requestWithPublishableKey('POST', path, { challengeToken })).body;
  enrollment = { challengeToken, secret };

  admin = await signIn(instance);
  // Without a worker, the replay stays pending with its secret.
  const [delivery] = await instance.sql<{ id: string }>(`SELECT 'dlv_' || id AS id FROM deliveries LIMIT 1`);
  const replay = { url: receiver.url, secret: legacySignIn.secret };
  expect((await admin.request('POST', `/webhooks/deliveries/${delivery!.id}/replay`, replay)).status).toBe(
    201,
  );
  enrolling = await beginEnrollment();
}

/** Adds providers with a client secret and with a private key. */
async function addProviders(path: string): Promise<void> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
  const apple = { clientId: 'com.example.app', teamId: 'ABCDE12345', keyId: 'ABCDE12345', privateKey: pem };
  const github = { type: 'github', clientId: 'app', clientSecret: 'secret' };
  for (const provider of [newProvider(), { type: 'apple', ...apple }, github])
    expect((await instance.requestWithSecretKey('POST', path, provider)).status).toBe(201);
}

/** Begins a sign-in and leaves its flow open. No request is sent to GitHub. */
async function beginProviderSignIn(): Promise<void> {
  const redirectUrl = 'https://app.example.com/signed-in';
  const project = `/api/v1/projects/${instance.credentials.projectId}`;
  await instance.requestWithSecretKey('PATCH', project, { settings: { redirectUrls: [redirectUrl] } });
  const flow = { redirectUrl, codeChallenge: 'x'.repeat(43) };
  const { status } = await instance.requestWithPublishableKey('POST', '/api/v1/auth/oauth/github', flow);
  expect(status).toBe(200);
}

async function beginEnrollment(): Promise<OperatorClient> {
  const invited = await inviteOperator(admin, 'viewer');
  await admin.request('POST', `/operators/${invited.operator.id}/reset-second-factor`);
  const client = new OperatorClient(instance);
  await client.request('POST', '/session', { email: invited.operator.email, password: invited.password });
  client.secret = (await client.request('POST', '/session/enrollment')).body.secret as string;
  return client;
}

/** Runs `npm run gatehouse -- reencrypt`, without the script that checks the build. */
const reencrypt = (
  env: Record<string, string> = {},
): Promise<{ code: number | NodeJS.Signals; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    const options = {
      env: {
        PATH: process.env['PATH']!,
        ...instance.env,
        GATEHOUSE_SECRET: `${newSecret},${oldSecret}`,
        ...env,
      },
    };
    execFile(
      process.execPath,
      [entryPoints.gatehouse, 'reencrypt'],
      options,
      (error, stdout, stderr) =>
        void resolve({ code: error?.signal ?? Number(error?.code ?? 0), stdout, stderr }),
    );
  });

/** Returns how many column values depend on the old secret. */
const countOldValues = async ({ table, column, prefix }: EncryptedColumn): Promise<number> => {
  const value = prefix ? `decode(substr(${column}, ${prefix.length + 1}), 'base64')` : column;
  const isEncrypted = prefix ? `starts_with(${column}, '${prefix}')` : 'true';
  const [row] = await instance.sql<{ count: number }>(
    `SELECT count(*)::int AS count FROM (SELECT ${column} FROM ${table} WHERE ${isEncrypted}) t
     WHERE encode(substr(${value}, 1, 4), 'hex') = $1`,
    [oldKid],
  );
  return row!.count;
};
const listOldCounts = async (): Promise<Record<string, number>> =>
  Object.fromEntries(
    await Promise.all(
      encryptedColumns.map(
        async (column) => [`${column.table}.${column.column}`, await countOldValues(column)] as const,
      ),
    ),
  );
const findOldCiphertexts = async (): Promise<string[]> => {
  const dump = await dumpTables(instance);
  return oldCiphertexts.filter((ciphertext) => dump.includes(ciphertext));
};
/** Returns the version of every row in the tables with encrypted columns. */
const listRowVersions = async (): Promise<string[]> => {
  const tables = [...new Set(encryptedColumns.map(({ table }) => table))];
  const selects = tables.map(
    (table) => `SELECT '${table}' || ctid::text || xmin::text AS version FROM ${table}`,
  );
  const rows = await instance.sql<{ version: string }>(selects.join(' UNION ALL '));
  return rows.map(({ version }) => version).sort();
};
const sum = (counts: Record<string, number>): number => Object.values(counts).reduce((a, b) => a + b, 0);

/** Inserts captured emails with these encrypted parameters. */
const insertMails = (...encrypt: ((id: string) => Buffer)[]): Promise<{ id: string }[]> =>
  Promise.all(
    encrypt.map(async (parameters) => {
      const id = randomUUID();
      await instance.sql(
        `INSERT INTO mails (id, kind, recipient, parameters, state) VALUES ($1, 'verify-email', 'a@example.com', $2, 'kept')`,
        [id, parameters(id)],
      );
      return { id };
    }),
  );

describe('npm run gatehouse -- reencrypt', () => {
  it('resumes after it was killed, re-encrypts every readable value, and reports unreadable ones', async () => {
    const before = await listOldCounts();
    expect(Object.entries(before).filter(([, count]) => count === 0)).toEqual([]);
    expect(await findOldCiphertexts()).toEqual(oldCiphertexts);
    expect(before).toMatchObject({ 'customers.password_hash': IMPORTED, 'webhook_endpoints.secret': 1 });

    const killed = await reencrypt({ FAILPOINTS: 'reencrypt.between-batches' });
    expect(killed).toMatchObject({ code: 'SIGKILL', stdout: '' });
    const interrupted = await listOldCounts();
    expect(interrupted).toMatchObject({
      'webhook_endpoints.secret': 0,
      'mails.parameters': before['mails.parameters'],
    });
    expect(interrupted['customers.password_hash']).toBeGreaterThan(0);
    expect(interrupted['customers.password_hash']).toBeLessThan(IMPORTED);

    const unknown = new Keyring([randomBytes(32).toString('base64url')]);
    const values = await insertMails(
      (id) => new Keyring([oldSecret]).encrypt('mail-parameters', id, '{}'),
      () => new Keyring([oldSecret]).encrypt('mail-parameters', 'another row', '{}'),
      (id) => unknown.encrypt('mail-parameters', id, '{}'),
      () => Buffer.alloc(0),
    );
    const [intact, moved, foreign, empty] = values;
    const { code, stdout, stderr } = await reencrypt();
    expect([code, stdout]).toEqual([1, '']);
    const lines = stderr.split('\n').filter((line) => line.includes('cannot be decrypted'));
    const describe = ({ id }: { id: string }, reason: string) =>
      `mails.parameters of id ${id} cannot be decrypted: ${reason}`;
    expect(lines.sort()).toEqual(
      [
        describe(moved!, 'the encrypted value was modified or belongs to another row'),
        describe(foreign!, `no entry of GATEHOUSE_SECRET has the id ${unknown.listKids()[0]}`),
        describe(empty!, 'no entry of GATEHOUSE_SECRET has the id '),
      ].sort(),
    );
    // The intact email was re-encrypted too.
    expect(stderr).toContain(`Values re-encrypted: ${sum(interrupted) + 1}. Values that could not be`);
    expect(stderr).toContain('Values that could not be re-encrypted: 3.');
    expect(stderr).toContain('Older entries of GATEHOUSE_SECRET cannot be removed yet.');
    expect(stderr).toMatch(/^webhook_endpoints\.secret: nothing to re-encrypt$/m);
    expect(stderr).toMatch(/^customers\.password_hash: (\d+) of \1 re-encrypted$/m);
    const [row] = await instance.sql<{ parameters: Buffer }>('SELECT parameters FROM mails WHERE id = $1', [
      intact!.id,
    ]);
    expect(new Keyring([newSecret]).decrypt('mail-parameters', intact!.id, row!.parameters)).toBe('{}');
    await instance.sql('DELETE FROM mails WHERE id = ANY ($1)', [values.map(({ id }) => id)]);

    expect(sum(await listOldCounts())).toBe(0);
    // The search covers the whole dump, and so columns that `encryptedColumns` might lack.
    expect(await findOldCiphertexts()).toEqual([]);
  });

  it('leaves all rows unchanged with only the newest secret, and reports outdated passwords', async () => {
    const before = await listRowVersions();
    const { code, stdout, stderr } = await reencrypt();
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('cannot be decrypted')]);
    expect(stdout).toContain('Values re-encrypted: 0. All encrypted values use the first');
    // Two operators and two customers.
    expect(stdout).toContain('no password depends on them. Passwords that still depend on one: 4.');
    expect(await listRowVersions()).toEqual(before);
  });

  if (isNightly)
    it('reports that older secrets can be removed once no password depends on them', async () => {
      for (const table of ['customers', 'operators'])
        await instance.sql(`UPDATE ${table} SET password_hash = replace(password_hash, $1, $2)`, [
          oldKid,
          newKid,
        ]);
      const { code, stdout } = await reencrypt();
      expect([code, stdout]).toEqual([0, expect.stringContaining('Values re-encrypted: 0.')]);
      expect(stdout).toContain('Older entries can be removed now.');
    });
});

it('reencrypt does not replace a value that was changed, removed or locked after it was read', async () => {
  const inserted = await insertMails(...Array.from({ length: 4 }, () => () => randomBytes(40)));
  const [unchanged, changed, removed, locked] = inserted.map(({ id }) => id);
  const database = await connectDatabase(instance);
  const lock = await instance.db.connect();
  try {
    const values = new EncryptedValuesRepository(database);
    const column = encryptedColumns.find(({ table }) => table === 'mails')!;
    const read = (await values.readOutdated(column, [newKid]).next()).value as OutdatedValue[];
    expect(read.map(({ key }) => key[0]).sort()).toEqual([unchanged, changed, removed, locked].sort());

    const newer = Buffer.from('newer');
    await instance.sql('UPDATE mails SET parameters = $2 WHERE id = $1', [changed, newer]);
    await instance.sql('DELETE FROM mails WHERE id = $1', [removed]);
    await lock.query('BEGIN');
    await lock.query('SELECT FROM mails WHERE id = $1 FOR UPDATE', [locked]);
    const replacement = Buffer.from('replacement');
    expect(
      await values.replace(
        column,
        read.map((value) => ({ ...value, replacement })),
      ),
    ).toBe(1);
    const rows = await instance.sql('SELECT id, parameters FROM mails WHERE id = ANY ($1) ORDER BY id', [
      [unchanged, changed, removed, locked],
    ]);
    expect(Object.fromEntries(rows.map(({ id, parameters }) => [id, parameters]))).toEqual({
      [unchanged!]: replacement,
      [changed!]: newer,
      [locked!]: read.find(({ key }) => key[0] === locked)!.stored,
    });
  } finally {
    lock.release(true);
    await database.close();
    await instance.sql('DELETE FROM mails WHERE id = ANY ($1)', [inserted.map(({ id }) => id)]);
  }
});

describe('an API process and a worker with only the newest secret', () => {
  beforeAll(async () => {
    await instance.api.stop();
    instance.env['GATEHOUSE_SECRET'] = newSecret;
    instance.startApi();
    instance.startWorker();
    await instance.waitUntilReady();
  });

  it('decrypt every value', async () => {
    const me = await instance.requestWithAccessToken(customer.accessToken, 'GET', '/api/v1/me');
    expect(me).toMatchObject({ status: 200, body: { email: customer.email } });
    expect((await instance.login('imported@example.com', IMPORTED_PASSWORD)).status).toBe(200);
    const last = `imported${IMPORTED - 1}@example.com`;
    expect((await instance.login(last, IMPORTED_PASSWORD)).status).toBe(200);
    const [mail] = await instance.listMails(customer.email, 'verify-email');
    expect(mail).toMatchObject({ link: expect.stringContaining('/verify-email?token=') });

    const request = await eventually('a delivery', () => receiver.requests[0]);
    expect(request.headers).toMatchObject(HEADERS);
    for (const secret of [endpoint.secret, endpoint.previousSecret])
      new Webhook(secret).verify(request.body, request.headers as Record<string, string>);

    const [stored] = await instance.sql<{ claim: string; answer: Buffer }>(
      'SELECT claim, answer FROM idempotency_keys',
    );
    const decrypted = new Keyring([newSecret]).decrypt('idempotent-answer', stored!.claim, stored!.answer);
    expect(JSON.parse(decrypted)).toMatchObject({ status: 201, body: { email: 'imported@example.com' } });
  });

  it('accept the codes of authenticators, both enrolled and unconfirmed', async () => {
    // The code that enrolled the authenticator cannot be used again for 30 s.
    await instance.sql('UPDATE operators SET totp_step = 0');
    const code = totpCode(admin.secret);
    expect((await admin.request('POST', '/session/reauthenticate', { code })).status).toBe(200);
    const confirmed = await enrolling.request('POST', '/session/enrollment/confirm', {
      code: totpCode(enrolling.secret),
    });
    expect(confirmed.status).toBe(200);
    const credential = { method: 'totp', code: totpCode(enrolled.secret) };
    const path = '/api/v1/me/reauthenticate';
    const completed = await instance.requestWithAccessToken(
      enrolled.tokens.accessToken,
      'POST',
      path,
      credential,
    );
    expect(completed.status).toBe(200);
    const { challengeToken, secret } = enrollment;
    expect((await completeChallenge(instance, challengeToken, totpCode(secret))).status).toBe(200);
  });
});

describe('a database whose root secret is lost', () => {
  const lostSecretIds = /no entry of GATEHOUSE_SECRET has the id [0-9a-f]{8}/;
  /** Returns the fields of log lines about values that cannot be decrypted. */
  const listReports = (purpose: string, process = instance.api) =>
    process.log.filter(
      (line) => line['message'] === 'stored value unreadable' && line['purpose'] === purpose,
    );
  /** Waits for the first log lines, because they arrive after the responses. */
  const waitForReports = (purpose: string, count = 1, process = instance.api) =>
    eventually(`reports of ${purpose}`, () => {
      const reports = listReports(purpose, process);
      return reports.length >= count && reports;
    });
  const run = (...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> =>
    runGatehouse(instance, args).then(
      (stdout) => ({ code: 0, stdout, stderr: '' }),
      (error: { code: number; stdout: string; stderr: string }) => error,
    );
  const signInAsOperator = (email: string, password: string): Promise<TestResponse> =>
    new OperatorClient(instance).request('POST', '/session', { email, password });
  /** Returns the parts of a response that must not reveal whether the address is known. */
  const describeResponse = ({ status, body: { requestId: _, ...body } }: TestResponse) => [status, body];

  beforeAll(async () => {
    for (const each of [instance.api, ...instance.workers]) await each.stop();
    // If the address were unverified, a password reset would also remove the authenticator.
    await instance.sql('UPDATE customers SET email_verified = true WHERE id = $1', [enrolled.id]);
    instance.env['GATEHOUSE_SECRET'] = randomBytes(32).toString('base64url');
  });

  it('prevents the API and the worker from starting, with a single message that contains the fix', async () => {
    const started = [instance.startApi(), instance.startWorker()];
    for (const each of started) {
      expect(await each.waitForExit()).toBe(78);
      const lines = each.log.filter(({ level }) => level === 'fatal');
      expect(lines).toEqual([
        {
          ...{ level: 'fatal', time: expect.any(String), service: expect.any(String), pid: each.pid },
          message: expect.stringMatching(
            /^GATEHOUSE_SECRET cannot decrypt the signing keys of this database .+: restore .+\. If it is lost, follow "Replace a lost root secret" in docs\/operations\/lost-secret\.md: stop all API processes and run "npm run gatehouse -- rotate-signing-key --now"$/,
          ),
        },
      ]);
      expect(each.output).not.toMatch(/\bat .+:\d+:\d+/);
    }
    expect(await instance.sql('SELECT FROM apis')).toEqual([]);
  });

  it('can be used again after rotate-signing-key --now', async () => {
    const { code, stdout } = await run('rotate-signing-key', '--now');
    expect([code, stdout]).toEqual([0, expect.stringContaining('starts to sign now')]);
    expect(stdout).toContain('these customers are signed out, and need a password reset');
    expect(stdout).not.toContain('stay');
    instance.startApi();
    instance.startWorker();
    await instance.waitUntilReady();
    const project = `/api/v1/projects/${instance.credentials.projectId}`;
    expect((await instance.requestWithSecretKey('GET', project)).status).toBe(200);
  });

  it('responds the same for unverifiable passwords and unknown addresses, and reports the former', async () => {
    const unknown = await instance.login('unknown@example.com');
    expect(unknown).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } });
    // The first hash was created by Gatehouse, and the second one was imported.
    for (const [email, password] of [
      [customer.email, PASSWORD],
      ['imported1@example.com', IMPORTED_PASSWORD],
    ] as const)
      expect(describeResponse(await instance.login(email, password))).toEqual(describeResponse(unknown));
    const report = { level: 'warn', projectId: instance.credentials.projectId };
    for (const purpose of ['password-pepper', 'imported-password'])
      expect(await waitForReports(purpose)).toEqual([
        expect.objectContaining({
          ...report,
          customerId: expect.any(String),
          reason: expect.stringMatching(lostSecretIds),
        }),
      ]);
    const { email, password } = instance.credentials.operator;
    const operators = [await signInAsOperator(email, password), await signInAsOperator('x@example.com', 'x')];
    expect(operators[0]!.status).toBe(401);
    expect(describeResponse(operators[0]!)).toEqual(describeResponse(operators[1]!));
    expect((await waitForReports('password-pepper', 2))[1]).toMatchObject({ operatorId: admin.operator.id });
    expect(instance.api.output).not.toContain(customer.email);
  });

  it('rejects tokens and codes that depend on the lost secret, and accepts recovery codes', async () => {
    const { refreshToken, accessToken } = customer;
    expect((await refreshSession(instance, refreshToken)).status).toBe(401);
    expect((await instance.requestWithAccessToken(accessToken, 'GET', '/api/v1/me')).status).toBe(401);
    // An operator's session does not depend on the secret.
    await instance.sql('UPDATE operators SET totp_step = 0');
    const reauthenticate = (code: string | undefined) =>
      admin.request('POST', '/session/reauthenticate', { code });
    expect((await reauthenticate(totpCode(admin.secret))).body).toMatchObject({ code: 'invalid_code' });
    expect((await reauthenticate(admin.recoveryCodes[0])).status).toBe(200);

    const token = await requestReset(instance, enrolled.email);
    expect((await submitToken(instance, 'reset-password', token, PASSWORD)).status).toBe(204);
    const challengeToken = await openChallenge(instance, enrolled.email);
    const wrong = await completeChallenge(instance, challengeToken, totpCode(enrolled.secret));
    expect(wrong.body).toMatchObject({ code: 'invalid_code' });
    const [recoveryCode] = enrolled.recoveryCodes;
    const completed = await completeChallenge(instance, challengeToken, recoveryCode!, 'recovery-code');
    expect(completed.status).toBe(200);
    // The operator's recovery code was also checked as an authenticator code.
    const reports = await waitForReports('totp-secret', 3);
    expect(new Set(reports.map(({ ownerId }) => ownerId))).toEqual(new Set([admin.operator.id, enrolled.id]));
  });

  it('returns a documented error wherever else a value cannot be decrypted', async () => {
    const projectPath = `/api/v1/projects/${instance.credentials.projectId}`;
    // The project's previous system receives no request without its secret.
    expect((await instance.login('elsewhere@example.com')).status).toBe(401);
    expect(await waitForReports('legacy-sign-in-secret')).toHaveLength(1);

    const mails = await instance.listMails(customer.email, 'verify-email');
    expect(mails).toEqual([
      expect.objectContaining({ subject: 'This email cannot be decrypted', link: null }),
    ]);
    const { status, body } = await instance.requestWithSecretKey('GET', `${projectPath}/export?hashes=true`);
    const lines = (body as string)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect([status, lines.length]).toEqual([200, expect.any(Number)]);
    expect(lines.find(({ email }) => email === 'imported1@example.com')).toMatchObject({
      passwordHash: null,
    });
    expect(lines.find(({ email }) => email === enrolled.email)).toMatchObject({ totpSecret: null });

    const providers = await instance.requestWithSecretKey('GET', `${projectPath}/identity-providers`);
    for (const { id } of providers.body.data as { id: string }[]) {
      const path = `${projectPath}/identity-providers/${id}/test`;
      const { body: test } = await instance.requestWithSecretKey('POST', path);
      expect(test.checks.at(-1)).toMatchObject({ ok: false });
    }
    await waitForReports('identity-provider-secret');

    const again = await instance.request('POST', '/api/v1/customers', {
      body: { email: 'imported@example.com', passwordHash: bcrypt.hashSync(IMPORTED_PASSWORD, 4) },
      headers: { authorization: `Bearer ${instance.credentials.secretKey}`, 'idempotency-key': 'import-1' },
    });
    expect(again).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
  });

  it('fails an attempt immediately if its secret is missing, and delivers after a rotation', async () => {
    const path = `/v1/webhooks/endpoints/${endpoint.id}`;
    const count = receiver.requests.length;
    await instance.requestWithSecretKey('POST', `${path}/test`);
    const [failed] = await eventually('an attempt', async () => {
      const attempts = await instance.listAttempts({ endpoint_id: endpoint.id });
      return attempts.some(({ event }) => event === 'webhook.test') ? attempts.slice(-1) : undefined;
    });
    expect(failed).toMatchObject({ event: 'webhook.test', error: 'worker_lost', http_status: 0 });
    const endpointId = endpoint.id.slice('ep_'.length);
    for (const report of await waitForReports('webhook-secret', 1, instance.workers.at(-1)))
      expect(report).toMatchObject({ endpointId, level: 'warn' });
    expect(receiver.requests).toHaveLength(count);

    const rotated = await instance.requestWithSecretKey('POST', `${path}/rotate-secret`);
    const patch = (headers: object | null) => instance.requestWithSecretKey('PATCH', path, { headers });
    expect(await patch(HEADERS)).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect((await patch(null)).status).toBe(200);
    expect((await patch(HEADERS)).status).toBe(200);
    await instance.requestWithSecretKey('POST', `${path}/test`);
    const request = await eventually('a delivery', () => receiver.requests[count]);
    expect(request.headers).toMatchObject(HEADERS);
    new Webhook(rotated.body.data.secret).verify(request.body, request.headers as Record<string, string>);
  });

  it('keeps pending emails for a restored secret, and reports them', async () => {
    await instance.runJob('MailSender');
    const [report] = await waitForReports('mail-parameters', 1, instance.workers.at(-1));
    const stored = await instance.sql('SELECT state FROM mails WHERE id = $1', [report!['mailId']]);
    expect(stored).toEqual([{ state: 'pending' }]);
  });

  it('lists every value that cannot be decrypted, in pages', async () => {
    const pages: string[][] = [];
    let next: string | undefined;
    do {
      const { stdout } = await run('unreadable', 'list', ...(next ? ['--after', next] : []));
      next = /^Continue with: npm run gatehouse -- unreadable list --after (\S+)$/m.exec(stdout)?.[1];
      const lines = stdout.trimEnd().split('\n');
      pages.push(next ? lines.slice(0, -1) : lines);
    } while (next);
    expect(pages).toHaveLength(isNightly ? 2 : 1);
    if (isNightly) expect(pages[0]).toHaveLength(1_000);
    const lines = pages.flat();
    expect(new Set(lines).size).toBe(lines.length);
    const columns = new Set(lines.map((line) => line.split(' of ')[0]));
    const transient = /^(challenges|idempotency_keys|oauth_flows|operator_sessions|signing_keys)$/;
    const lasting = encryptedColumns.filter(({ table }) => !transient.test(table));
    // The only endpoint has a new secret and new headers.
    const replaced = ['webhook_endpoints.secret', 'webhook_endpoints.headers'];
    expect([...columns].sort()).toEqual(
      [...new Set(lasting.map(({ table, column }) => `${table}.${column}`)), 'operators.password_hash']
        .filter((name) => !replaced.includes(name))
        .sort(),
    );
    expect(lines.filter((line) => line.startsWith('totp_factors.secret'))).toContainEqual(
      expect.stringContaining(`, customer_id ${enrolled.id}: no entry has the id ${newKid}`),
    );
  });

  nightlyIt('doctor reports who cannot sign in, and sends password resets only with --send', async () => {
    // Only the previous test needs so many imported customers.
    await instance.sql(`DELETE FROM customers WHERE email ~ '^imported[0-9]{2,}@'`);
    await instance.sql(`UPDATE customers SET disabled_at = now() WHERE email = 'imported2@example.com'`);
    const { stdout: report } = await run('doctor', '--json');
    const results = report
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const warnings = results.filter(({ check }) => ['passwords', 'encrypted values'].includes(check));
    // The customer with an authenticator has a new password.
    expect(warnings).toEqual([
      {
        check: 'passwords',
        status: 'warning',
        message: expect.stringMatching(/: customers 11, operators 2$/),
        fix: expect.stringContaining('npm run gatehouse -- unreadable send-resets,'),
      },
      {
        check: 'encrypted values',
        status: 'warning',
        message: expect.stringMatching(/: .*totp_factors\.secret \d/),
        fix: expect.stringContaining('npm run gatehouse -- unreadable list,'),
      },
    ]);

    // A customer with an unused link from the last hour does not get a second one.
    await requestReset(instance, 'imported4@example.com');
    await requestReset(instance, 'imported3@example.com');
    await instance.sql(
      `UPDATE one_time_tokens SET expires_at = now() WHERE kind = 'reset-password' AND email = 'imported3@example.com'`,
    );
    const count = async () => (await instance.sql(`SELECT FROM mails WHERE kind = 'reset-password'`)).length;
    const before = await count();
    expect((await run('unreadable', 'send-resets')).stdout).toMatch(/: 11\. Nothing was sent\.\n/);
    expect(await count()).toBe(before);
    expect((await run('unreadable', 'send-resets', '--send')).stdout).toBe(
      'Password resets sent: 9. Customers skipped: 2, conflict: 1, sent_recently: 1.\n',
    );
    expect(await count()).toBe(before + 9);

    await instance.runJob('MailSender');
    const token = await instance.getMailToken('imported1@example.com', 'reset-password');
    expect((await submitToken(instance, 'reset-password', token)).status).toBe(204);
    expect((await instance.login('imported1@example.com', NEW_PASSWORD)).status).toBe(200);
  });
});
