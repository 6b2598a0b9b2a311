import { createHash, randomBytes, randomUUID, scryptSync } from 'node:crypto';
import bcrypt from 'bcrypt';
import { profile } from '../support/customer-fields.js';
import { eventually } from '../support/eventually.js';
import { TestInstance, PASSWORD, bearerHeader, type TestResponse } from '../support/test-instance.js';
import { importLines, StreamingImport, toNdjson } from '../support/ndjson.js';
import { listEncodings, dumpTables } from '../support/dump-tables.js';
import { CONSOLE_HEADER, insertOperator } from '../support/operator-client.js';
import { insertProvider } from '../support/identity-providers/insert-provider.js';
import { portablePasskey } from '../support/passkeys.js';
import { insertKey, insertProject } from '../support/tenants.js';
import { uniqueEmail } from '../support/unique-email.js';
import { withConcurrentChange } from '../support/with-concurrent-change.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.startShared({ workers: 0 })));
afterAll(async () => instance?.stop());

const PATH = '/api/v1/customers/import';
const createCustomers = (count: number, domain = `${randomUUID()}.example`): { email: string }[] =>
  Array.from({ length: count }, (_, index) => ({ email: `person-${index}@${domain}` }));
const importList = (
  body: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<TestResponse> =>
  instance.request('POST', PATH, {
    body,
    headers: { ...bearerHeader(instance.credentials.secretKey), ...headers },
  });
const getImport = (id: string, query = ''): Promise<TestResponse> =>
  instance.requestWithSecretKey('GET', `/api/v1/imports/${id}${query}`);
const findCustomer = async (email: string): Promise<{ id: string; project_id: string } | undefined> =>
  (await instance.sql<any>('SELECT * FROM customers WHERE email = $1', [email]))[0];
const countCustomers = async (domain: string): Promise<number> =>
  (await instance.sql('SELECT 1 FROM customers WHERE email LIKE $1', [`%@${domain}`])).length;
const login = (email: string, password?: string): Promise<TestResponse> => instance.login(email, password);
/** Opens an import and sends lines. Resolves once a batch of 500 is committed. */
const openBatch = async (
  importId: string,
  lines: object[],
  credential?: string | Record<string, string>,
): Promise<StreamingImport> => {
  const { projectId } = instance.credentials;
  const stream = new StreamingImport(instance, { importId, projectId }, credential);
  stream.send(toNdjson(lines));
  await eventually('a batch', async () => (await getImport(importId)).body.lastLine === 500);
  return stream;
};
/** Returns a result's errors and warnings in a short form. */
const listProblems = ({ errors, warnings }: any): string[] =>
  [...errors, ...warnings].map(({ field, code }) => `${field}:${code}`);
/** Returns an import id, and a domain for the import's customers. */
const createIds = (): [string, string] => [randomUUID(), `${randomUUID()}.example`];

describe('a list of customers', () => {
  it('keeps unused ids, and replaces those that a customer in any project already has', async () => {
    const { projectId } = await insertProject(instance, instance.credentials.organizationId);
    const [id, taken] = [randomUUID(), randomUUID()];
    const other = await importList({ projectId, customers: [{ id: taken, email: uniqueEmail() }] });
    expect(other.body.results).toMatchObject([{ status: 'created', id: taken }]);
    const ids = [id, id, taken];
    const { body } = await importList({ customers: ids.map((each) => ({ id: each, email: uniqueEmail() })) });
    expect(body.results).toMatchObject([
      { status: 'created', id },
      { status: 'created' },
      { status: 'created' },
    ]);
    const [, second, third] = body.results as { id: string }[];
    expect([id, taken]).not.toContain(second!.id);
    expect([id, taken]).not.toContain(third!.id);
  });

  it('imports all fields, and returns the results in order', async () => {
    const [email, externalId] = [uniqueEmail(), randomUUID()];
    const full = {
      ...profile,
      email: email.toUpperCase(),
      firstName: ' Ada ',
      lastName: 'Lovelace',
      externalId,
      emailVerified: true,
      metadata: { plan: { tier: 2 }, toString: 'kept' },
      publicMetadata: { theme: 'dark' },
      imageUrl: 'https://EXAMPLE.com/ada.png',
      createdAt: '2019-05-01T12:00:00+02:00',
    };
    // The timestamp formats in PostgreSQL and Firebase exports.
    const small = {
      email: uniqueEmail(),
      metadata: null,
      imageUrl: 'javascript:alert(1)',
      createdAt: '2019-05-01 12:00:00.123456+02',
      lastLoginAt: 1_556_704_800_000,
    };
    const { status, body } = await importList({ customers: [full, small] });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      state: 'completed',
      total: 2,
      created: 2,
      skipped: 0,
      failed: 0,
      lastLine: 2,
    });
    expect(body.results).toEqual([
      { index: 0, status: 'created', id: expect.any(String), errors: [], warnings: [] },
      {
        ...{ index: 1, status: 'created', id: expect.any(String), errors: [] },
        warnings: [{ field: 'imageUrl', code: 'invalid', message: expect.stringContaining('https') }],
      },
    ]);
    const customer = await instance.requestWithSecretKey('GET', `/api/v1/customers/${body.results[0].id}`);
    expect(customer.body).toEqual({
      ...full,
      id: body.results[0].id,
      projectId: instance.credentials.projectId,
      email,
      firstName: 'Ada',
      imageUrl: 'https://example.com/ada.png',
      mfa: 'inherit',
      disabledAt: null,
      createdAt: '2019-05-01T10:00:00.000Z',
      updatedAt: '2019-05-01T10:00:00.000Z',
      lastLoginAt: null,
    });
    expect(
      (await instance.requestWithSecretKey('GET', `/api/v1/customers/${body.results[1].id}`)).body,
    ).toMatchObject({
      metadata: {},
      imageUrl: null,
      createdAt: '2019-05-01T10:00:00.123Z',
      lastLoginAt: '2019-05-01T10:00:00.000Z',
    });
    const { results: _, ...progress } = body;
    expect((await getImport(body.id)).body).toEqual({
      ...progress,
      failures: { data: [expect.objectContaining({ line: 2 })], nextCursor: null, hasMore: false },
    });
  });

  it('returns the existing customer or the errors of each entry, and imports the others', async () => {
    const [taken, repeated, externalId] = [uniqueEmail(), uniqueEmail(), randomUUID()];
    const existing = await instance.requestWithSecretKey('POST', '/api/v1/customers', {
      email: taken,
      externalId,
    });
    const cases: [unknown, 'created' | 'skipped' | 'failed', ...string[]][] = [
      [{ email: taken }, 'skipped', 'email:email_already_registered'],
      [{ email: repeated, externalId: `${externalId}-a` }, 'created'],
      [{ email: repeated.toUpperCase() }, 'skipped', 'email:email_already_registered'],
      [{ email: uniqueEmail(), externalId }, 'failed', 'externalId:external_id_taken'],
      [{ email: uniqueEmail(), externalId: `${externalId}-a` }, 'failed', 'externalId:external_id_taken'],
      [
        { email: 'nonsense', role: 'admin', createdAt: '2999-01-01T00:00:00Z' },
        'failed',
        ...['role:unknown_field', 'email:invalid', 'createdAt:invalid'],
      ],
      [{ email: uniqueEmail(), password: 'vq7#Kz' }, 'failed', 'password:too_short'],
      [{ email: uniqueEmail(), passwordHash: `$2b$31$${'a'.repeat(53)}` }, 'created', 'passwordHash:invalid'],
      [
        { email: uniqueEmail(), password: PASSWORD, passwordHash: bcrypt.hashSync(PASSWORD, 4) },
        'failed',
        'passwordHash:conflict',
      ],
      ...['text', null, []].map((line): [unknown, 'failed', string] => [line, 'failed', ':invalid_type']),
      [{ email: uniqueEmail(), sendInvite: true }, 'failed', 'sendInvite:unknown_field'],
      [{ email: uniqueEmail(), createdAt: '0000-01-01T00:00:00Z' }, 'created', 'createdAt:invalid'],
      [{ email: uniqueEmail() }, 'created'],
    ];
    const { status, body } = await importList({ customers: cases.map(([customer]) => customer) });
    expect(status).toBe(200);
    const outcomes = (body.results as any[]).map((result) => [
      ...[result.index, result.status, result.id !== null],
      ...listProblems(result),
    ]);
    expect(outcomes).toEqual(
      cases.map(([, state, ...errors], index) => [index, state, state !== 'failed', ...errors]),
    );
    expect(body.results[0].id).toBe(existing.body.id);
    expect(body.results[2].id).toBe(body.results[1].id);
    expect(body).toMatchObject({ total: 15, created: 4, skipped: 2, failed: 9, incomplete: 2 });
    expect((await getImport(body.id)).body.failures.data).toEqual(
      (body.results as any[])
        .filter(({ status, warnings }) => status !== 'created' || warnings.length > 0)
        .map(({ index, ...result }) => ({ line: index + 1, ...result })),
    );
  });

  it("imports complete, new passkeys for the project's domain, and warns about the others", async () => {
    const [passkey, other, third] = [portablePasskey(), portablePasskey(), portablePasskey()];
    const invalid = (name: string, value: unknown) => [{ ...passkey, [name]: value }];
    const email = uniqueEmail();
    const repeated = (index: number) => `passkeys.${index}.credentialId:repeated`;
    const taken = (index: number) => `passkeys.${index}.credentialId:passkey_taken`;
    const cases: [passkeys: unknown, stored: number, ...warnings: string[]][] = [
      [[], 0],
      [null, 0],
      ['text', 0, 'passkeys:invalid_type'],
      [['text'], 0, 'passkeys.0:invalid'],
      [invalid('rpId', undefined), 0, 'passkeys.0.rpId:required'],
      [invalid('rpId', 'example.com'), 0, 'passkeys.0.rpId:not_allowed'],
      [invalid('credentialId', 'a'), 0, 'passkeys.0.credentialId:invalid'],
      [invalid('credentialId', 'ab=='), 0, 'passkeys.0.credentialId:invalid'],
      [invalid('publicKey', passkey.credentialId), 0, 'passkeys.0.publicKey:invalid'],
      [invalid('userHandle', randomBytes(65).toString('base64url')), 0, 'passkeys.0.userHandle:invalid'],
      [invalid('counter', -1), 0, 'passkeys.0.counter:invalid'],
      [invalid('transports', ['USB']), 0, 'passkeys.0.transports:invalid'],
      [invalid('deviceType', 'phone'), 0, 'passkeys.0.deviceType:invalid'],
      [invalid('aaguid', '0'), 0, 'passkeys.0.aaguid:invalid'],
      [invalid('name', ''), 0, 'passkeys.0.name:too_short'],
      [invalid('createdAt', '2999-01-01T00:00:00Z'), 0, 'passkeys.0.createdAt:invalid'],
      [invalid('toString', 'x'), 0, 'passkeys.0.toString:unknown_field'],
      // A position is the index within the line, and includes omitted entries.
      [['text', other, other], 1, 'passkeys.0:invalid', repeated(2)],
      [
        Array(21).fill(passkey),
        1,
        'passkeys:too_long',
        ...Array.from({ length: 19 }, (_, at) => repeated(at + 1)),
      ],
      [[passkey, third], 1, taken(0)],
      [[third], 0, taken(0)],
    ];
    const customers = cases.map(([passkeys], index) => ({ email: `${index}${email}`, passkeys }));
    const outcomes = async () =>
      ((await importList({ customers })).body.results as any[]).map((result) => [
        result.status,
        ...listProblems(result),
      ]);
    expect(await outcomes()).toEqual(cases.map(([, , ...warnings]) => ['created', ...warnings]));
    const stored = await instance.sql<{ email: string; count: number }>(
      `SELECT c.email, count(*)::int AS count FROM passkeys k JOIN customers c ON c.id = k.customer_id
       WHERE c.email LIKE '%' || $1 GROUP BY c.email`,
      [email],
    );
    const counts = new Map(stored.map(({ email: address, count }) => [address, count]));
    expect(customers.map((each) => counts.get(each.email) ?? 0)).toEqual(cases.map(([, count]) => count));
    // Existing customers are skipped although their passkeys are taken.
    const skipped = ['skipped', 'email:email_already_registered'];
    expect(await outcomes()).toEqual(cases.map(() => skipped));
    const { projectId } = await insertProject(instance, instance.credentials.organizationId);
    const elsewhere = await importList({ projectId, customers: [{ email, passkeys: [passkey] }] });
    expect(elsewhere.body).toMatchObject({ created: 1, incomplete: 0 });
  });

  it('imports new identities with providers of the project, and warns about the others', async () => {
    const { projectId, slug } = await insertProvider(instance, { enabled: false });
    const foreign = await insertProvider(
      instance,
      await insertProject(instance, instance.credentials.organizationId),
    );
    const [identity, other, third] = ['1', '2', '3'].map((subject) => ({ provider: slug, subject }));
    const invalid = (name: string, value: unknown) => [{ ...identity, [name]: value }];
    const email = uniqueEmail();
    const passkey = portablePasskey();
    await importList({ customers: [{ email: uniqueEmail(), passkeys: [passkey] }] });
    const cases: [fields: object, ...warnings: string[]][] = [
      [{ identities: [] }],
      [{ identities: null }],
      [{ identities: 'text' }, 'identities:invalid_type'],
      [{ identities: ['text'] }, 'identities.0:invalid'],
      [{ identities: invalid('provider', undefined) }, 'identities.0.provider:required'],
      [{ identities: invalid('provider', 'G') }, 'identities.0.provider:invalid'],
      [{ identities: invalid('provider', 'unknown') }, 'identities.0.provider:provider_not_found'],
      [{ identities: invalid('provider', foreign.slug) }, 'identities.0.provider:provider_not_found'],
      ...['', 'a\nb', 'x'.repeat(256), 1234].map((subject): [object, string] => [
        { identities: invalid('subject', subject) },
        `identities.0.subject:${typeof subject === 'string' ? 'invalid' : 'invalid_type'}`,
      ]),
      [{ identities: invalid('email', email) }, 'identities.0.email:unknown_field'],
      [{ identities: [identity, identity], emailVerified: false }, 'identities.1.subject:repeated'],
      [{ identities: [third, identity] }, 'identities.1.subject:identity_already_linked'],
      [
        { identities: [third, other], passkeys: [passkey] },
        ...['passkeys.0.credentialId:passkey_taken', 'identities.0.subject:identity_already_linked'],
      ],
      [{ identities: [{ provider: slug, subject: 'x'.repeat(255) }] }],
    ];
    const customers = cases.map(([fields], index) => ({ email: `${index}${email}`, ...fields }));
    const outcomes = async () => {
      const { body } = await importList({ projectId, customers });
      return (body.results as any[]).map((result) => [result.status, ...listProblems(result)]);
    };
    expect(await outcomes()).toEqual(cases.map(([, ...warnings]) => ['created', ...warnings]));
    expect(await outcomes()).toEqual(cases.map(() => ['skipped', 'email:email_already_registered']));
    const linked = await instance.sql(
      `SELECT d.subject, d.email, d.last_used_at FROM identities d JOIN customers c ON c.id = d.customer_id
       WHERE c.email LIKE '%' || $1 ORDER BY d.subject`,
      [email],
    );
    const unused = { email: null, last_used_at: null };
    expect(linked).toEqual(['1', '2', '3', 'x'.repeat(255)].map((subject) => ({ subject, ...unused })));
    expect(await instance.sql(`SELECT FROM events WHERE type = 'identity.linked'`)).toEqual([]);
  });

  it('fails if one of its identities is linked at the same time', async () => {
    const { id, slug } = await insertProvider(instance);
    const { body: owner } = await instance.requestWithSecretKey('POST', '/api/v1/customers', {
      email: uniqueEmail(),
    });
    const customers = [{ email: uniqueEmail(), identities: [{ provider: slug, subject: '1' }] }];
    const imported = await withConcurrentChange(
      instance,
      (sql) =>
        sql(
          `INSERT INTO identities (id, project_id, provider_id, customer_id, subject)
           VALUES (gen_random_uuid(), $1, $2, $3, '1')`,
          [owner.projectId, id, owner.id],
        ),
      () => importList({ customers }),
    );
    expect(imported).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(await findCustomer(customers[0]!.email)).toBeUndefined();
  });

  it("counts hashes below OWASP's minimum, in the import and in the audit log", async () => {
    const [salt, hash] = ['c2FsdHNhbHRzYWx0', 'aGFzaGhhc2hoYXNoaGFzaGhhc2g'];
    const bcryptHash = (cost: string) => bcrypt.hashSync(PASSWORD, 4).replace('$04$', `$${cost}$`);
    const weak = [
      bcryptHash('09'),
      `$argon2id$v=19$m=19456,t=1,p=1$${salt}$${hash}`,
      `$scrypt$ln=16,r=8,p=1$${salt}$${hash}`,
      `$pbkdf2-sha256$i=599999$${salt}$${hash}`,
    ];
    const strong = [
      bcryptHash('10'),
      `$argon2id$v=19$m=19456,t=2,p=1$${salt}$${hash}`,
      `$scrypt$ln=16,r=8,p=2$${salt}$${hash}`,
      `$pbkdf2-sha512$i=210000$${salt}$${hash}`,
    ];
    const existing = uniqueEmail();
    await instance.register(existing);
    const customers = [
      ...[...weak, ...strong].map((passwordHash) => ({ email: uniqueEmail(), passwordHash })),
      { email: existing, passwordHash: weak[0] },
      { email: uniqueEmail() },
    ];
    const { body } = await importList({ customers });
    expect(body).toMatchObject({ created: 9, skipped: 1, weakHashes: 4 });
    const lines = customers.map(({ passwordHash }) => ({ email: uniqueEmail(), passwordHash }));
    const streamed = await importLines(instance, toNdjson(lines));
    expect(streamed.body).toMatchObject({ created: 10, weakHashes: 5 });
    for (const { id, weakHashes } of [body, streamed.body]) {
      expect((await getImport(id)).body).toMatchObject({ weakHashes });
      const entries = await instance.sql(
        'SELECT details FROM audit_log WHERE target_id = $1 AND action = $2',
        [id, 'import.weak_hashes_found'],
      );
      expect(entries).toEqual([{ details: { weakHashes } }]);
    }
    const clean = await importList({ customers: [{ email: uniqueEmail(), passwordHash: strong[0] }] });
    const entries = await instance.sql('SELECT action FROM audit_log WHERE target_id = $1', [clean.body.id]);
    expect(entries).toEqual([{ action: 'import.started' }]);
  });

  it('imports plaintext passwords and hashes from other systems, which work at sign-in (PW-07)', async () => {
    const [bcryptEmail, scryptEmail, plainTextEmail] = [uniqueEmail(), uniqueEmail(), uniqueEmail()];
    const salt = randomBytes(16);
    const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
    const scrypt = `$scrypt$ln=10,r=8,p=1$${base64(salt)}$${base64(scryptSync(PASSWORD, salt, 32, { N: 1024, r: 8, p: 1 }))}`;
    const { body } = await importList({
      customers: [
        { email: bcryptEmail, passwordHash: bcrypt.hashSync(PASSWORD, 4) },
        { email: scryptEmail, passwordHash: scrypt },
        { email: plainTextEmail, password: PASSWORD },
      ],
    });
    expect(body.created).toBe(3);
    for (const email of [bcryptEmail, scryptEmail, plainTextEmail]) {
      expect((await login(email)).status).toBe(200);
      expect((await login(email, 'another long phrase')).status).toBe(401);
    }
  });

  it('PW-07: imports salted SHA hashes if the import allows them, until the first sign-in', async () => {
    const salt = randomBytes(8);
    const digest = createHash('sha256').update(PASSWORD).update(salt).digest();
    const passwordHash = `{SSHA256}${Buffer.concat([digest, salt]).toString('base64')}`;
    const withoutOption = await importList({ customers: [{ email: uniqueEmail(), passwordHash }] });
    expect(withoutOption.body.results).toMatchObject([
      { status: 'created', warnings: [{ field: 'passwordHash', code: 'fast_hash' }] },
    ]);
    const [email, streamedEmail] = [uniqueEmail(), uniqueEmail()];
    const { body } = await importList({ allowFastHashes: true, customers: [{ email, passwordHash }] });
    const query = { allowFastHashes: 'true' };
    const streamed = await importLines(instance, toNdjson([{ email: streamedEmail, passwordHash }]), query);
    for (const each of [body, streamed.body]) expect(each).toMatchObject({ created: 1, weakHashes: 1 });
    expect((await login(email, 'another long phrase')).status).toBe(401);
    for (const each of [email, streamedEmail]) {
      expect((await login(each)).status).toBe(200);
      const [row] = await instance.sql('SELECT password_hash FROM customers WHERE email = $1', [each]);
      expect(row).toEqual({ password_hash: expect.stringMatching(/^v1\$/) });
    }
  });

  it('stores a hash in a new format only if no API process on an older version is running', async () => {
    const passwordHash = '$P$BQvcRkPXOnHOFZdxnaOOrGNzXE9gYH/';
    const earlier = bcrypt.hashSync(PASSWORD, 4);
    const create = (hash: string) =>
      instance.requestWithSecretKey('POST', '/api/v1/customers', {
        email: uniqueEmail(),
        passwordHash: hash,
      });
    const importOne = (hash: string) =>
      importList({ customers: [{ email: uniqueEmail(), passwordHash: hash }] });
    await instance.sql(
      `INSERT INTO apis (id, host, version, schema_version) VALUES (gen_random_uuid(), 'a.internal', '0.0.9', 1764900100000)`,
    );
    try {
      for (const send of [create, importOne]) {
        expect(await send(passwordHash)).toMatchObject({
          status: 409,
          body: {
            code: 'conflict',
            detail: expect.stringContaining('cannot verify this password hash are running: 0.0.9'),
          },
        });
        expect((await send(earlier)).status).toBeLessThan(300);
      }
    } finally {
      await instance.sql(`DELETE FROM apis WHERE version = '0.0.9'`);
    }
    for (const send of [create, importOne]) expect((await send(passwordHash)).status).toBeLessThan(300);
  });

  it('hashes many plaintext passwords without a Node.js warning', async () => {
    const customers = Array.from({ length: 30 }, () => ({ email: uniqueEmail(), password: PASSWORD }));
    expect((await importList({ customers })).body.created).toBe(30);
    expect(instance.api.output).not.toContain('MaxListenersExceededWarning');
  });

  it('stores no password or imported hash in plaintext (PW-06)', async () => {
    const password = randomBytes(16).toString('hex');
    const passwordHash = bcrypt.hashSync(password, 4);
    await importList({ customers: [{ email: uniqueEmail(), passwordHash }] });
    await importList(
      { customers: [{ email: uniqueEmail(), password }] },
      { 'idempotency-key': randomUUID() },
    );
    const line = { email: uniqueEmail(), password };
    await importLines(instance, toNdjson([line, { ...line, emailVerified: 'no' }]));
    const text = await dumpTables(instance);
    for (const form of [...listEncodings(password), ...listEncodings(passwordHash)]) {
      expect(text).not.toContain(form);
      expect(instance.api.output).not.toContain(form);
    }
  });

  it('fails if an object contains a key twice', async () => {
    const email = uniqueEmail();
    const body = `{"customers":[{"email":"${email}","disabledAt":"2020-01-01T00:00:00Z","disabledAt":null}]}`;
    const headers = { ...bearerHeader(instance.credentials.secretKey), 'content-type': 'application/json' };
    const response = await fetch(instance.baseUrl + PATH, { method: 'POST', headers, body });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { code: 'invalid_json', errors: [{ field: 'customers[0].disabledAt', code: 'repeated_key' }] },
    ]);
    expect(await findCustomer(email)).toBeUndefined();
  });

  it('accepts at most 1,000 customers, in a body larger than other routes allow', async () => {
    const metadata = { text: 'x'.repeat(1_000) };
    const thousandCustomers = createCustomers(1_000).map((person) => ({ ...person, metadata }));
    const { status, body } = await importList({ customers: thousandCustomers });
    expect([status, body.created]).toEqual([200, 1_000]);
    const invalid: [unknown, string][] = [
      [[...thousandCustomers, { email: uniqueEmail() }], 'too_long'],
      [[], 'too_short'],
      [undefined, 'required'],
      ...[{}, 'text', 1].map((customers): [unknown, string] => [customers, 'invalid_type']),
    ];
    for (const [customers, code] of invalid) {
      expect(await importList({ customers })).toMatchObject({
        status: 400,
        body: { code: 'validation_failed', errors: [{ field: 'customers', code }] },
      });
    }
  });

  it('reads more than 64 KiB only after authentication, and up to 16 MiB (IN-01)', async () => {
    const body = `{"customers":[${' '.repeat(70_000)}`;
    const headers = { authorization: 'Bearer sk_unknown' };
    expect((await instance.request('POST', PATH, { body, headers })).status).toBe(401);
    expect(await instance.requestWithSecretKey('POST', PATH, body)).toMatchObject({
      status: 400,
      body: { code: 'invalid_json' },
    });
    const tooLarge = await instance
      .requestWithSecretKey('POST', PATH, ' '.repeat(16 * 2 ** 20 + 1))
      .catch(() => null);
    // The connection may be closed before the response has been read.
    if (tooLarge) expect(tooLarge).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
    expect((await instance.requestWithSecretKey('POST', '/api/v1/customers', body)).status).toBe(413);
  });

  it('emits events only on request', async () => {
    const { body: withoutEvents } = await importList({ customers: createCustomers(1) });
    const { body: withEvents } = await importList({ customers: createCustomers(1), emitEvents: true });
    const lines = [createCustomers(1), createCustomers(1)];
    await importLines(instance, toNdjson(lines[0]!));
    await importLines(instance, toNdjson(lines[1]!), { emitEvents: 'true' });
    const imported = await Promise.all(lines.map(async ([line]) => (await findCustomer(line!.email))!.id));
    for (const id of [withoutEvents.results[0].id, imported[0]!])
      expect(await instance.events(id)).toEqual([]);
    for (const id of [withEvents.results[0].id, imported[1]!]) {
      const { body: customer } = await instance.requestWithSecretKey('GET', `/api/v1/customers/${id}`);
      expect(await instance.events(id)).toMatchObject([{ type: 'customer.created', data: { customer } }]);
    }
  });
});

describe('an import of lines', () => {
  it('imports the valid values of lines, and reports each invalid line', async () => {
    const [first, last] = [uniqueEmail(), uniqueEmail()];
    const invalidBytes = Buffer.from([0xff, 0xfe]);
    const deep = (value: string) => `{"a":${'['.repeat(18)}${value}${']'.repeat(18)},"b":1}`;
    /** Lines with their errors: null for a valid line, undefined for a blank one. */
    const cases: [string | Buffer, string | null | undefined][] = [
      [JSON.stringify({ email: first, emailVerified: true }), null],
      ['{"email":', ':invalid_json'],
      [
        `{"email":"${uniqueEmail()}","metadata":{"order":{"id":12345678901234567890}}}`,
        'metadata.order:inexact_integer',
      ],
      [
        Buffer.concat([Buffer.from('{"email":"'), invalidBytes, Buffer.from('@example.com"}')]),
        ':invalid_json',
      ],
      [`{"email":"${uniqueEmail()}","metadata":{"long":"${'x'.repeat(64 * 1024)}"}}`, ':too_long'],
      ['', undefined],
      ['[]', ':invalid_json'],
      [`{"email":"${uniqueEmail()}","firstName":"\\u0000"}`, 'firstName:invalid'],
      [`{"email":"${uniqueEmail()}","metadata":{"__proto__":1}}`, 'metadata.__proto__:invalid'],
      [`{"email":"${uniqueEmail()}","metadata":${deep('[1]')}}`, 'metadata.a:too_deep'],
      [`{"email":"${uniqueEmail()}","disabledAt":12345678901234567890}`, 'disabledAt:inexact_integer'],
      [
        `{"email":"${uniqueEmail()}","disabledAt":"2020-01-01T00:00:00Z","disabledAt":null}`,
        'disabledAt:repeated_key',
      ],
      [
        `{"email":"${uniqueEmail()}","firstName":"\\u0000","mfa":"required","mfa":"inherit"}`,
        'mfa:repeated_key',
      ],
      [`\ufeff{"email":"${uniqueEmail()}"}`, ':invalid_json'],
      [' \t\r', undefined],
      ['{}', 'email:required'],
      [`${JSON.stringify({ email: last })}\r`, null],
    ];
    // The last line has no line feed.
    const body = Buffer.concat(
      cases.flatMap(([line], index) => [Buffer.from(index > 0 ? '\n' : ''), Buffer.from(line as string)]),
    );
    const response = await importLines(instance, body);
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({
      state: 'completed',
      total: 15,
      created: 6,
      failed: 9,
      incomplete: 4,
      lastLine: 17,
    });
    const found = (response.body.failures.data as any[]).map((result) => [
      result.line,
      listProblems(result)[0],
    ]);
    expect(found).toEqual(cases.map(([, error], index) => [index + 1, error]).filter(([, error]) => error));
    expect(await findCustomer(first)).toMatchObject({ email_verified: true });
    expect(await findCustomer(last)).toBeDefined();
  });

  it('reports the first 20 errors of a line with many unknown fields, and truncates long names', async () => {
    const fields = Array.from({ length: 1_900 }, (_, index) => [`field-${index}`, 1]);
    const name = `${'x'.repeat(99)}🦄${'y'.repeat(1_000)}`;
    const lines = [Object.fromEntries(fields), { email: uniqueEmail(), [name]: 1 }];
    const { status, body } = await importLines(instance, toNdjson(lines));
    expect([status, body.failed]).toEqual([200, 2]);
    const [many, long] = body.failures.data;
    expect(many.errors).toHaveLength(20);
    const truncatedName = 'x'.repeat(99);
    const error = {
      field: truncatedName,
      code: 'unknown_field',
      message: `${truncatedName} is not a known field`,
    };
    expect(long.errors).toEqual([error]);
    const list = await importList({ customers: lines });
    expect(list.body.results.map(({ errors }: any) => errors)).toEqual([many.errors, long.errors]);
  });

  it('splits any number of lines into batches of one import', async () => {
    const domain = `${randomUUID()}.example`;
    const lines = createCustomers(1_200, domain);
    // The repeated lines are in a later batch than the first ones.
    const repeated = [...lines, lines[0]!, lines[600]!];
    const { status, body } = await importLines(instance, toNdjson(repeated));
    expect(status).toBe(200);
    expect(body).toMatchObject({ total: 1_202, created: 1_200, skipped: 2, failed: 0, lastLine: 1_202 });
    expect(body.failures.data.map(({ line }: any) => line)).toEqual([1_201, 1_202]);
    expect(await countCustomers(domain)).toBe(1_200);
  });

  it('lists lines that created no customer in pages, the first 10,000 of each kind', async () => {
    const { body } = await importLines(instance, '{}\n'.repeat(10_030) + toNdjson(createCustomers(1)));
    expect(body).toMatchObject({ total: 10_031, failed: 10_030, created: 1 });
    expect(body.failures).toMatchObject({ hasMore: true, nextCursor: expect.any(String) });
    expect(body.failures.data).toHaveLength(50);
    const { nextCursor } = body.failures;
    const next = await getImport(body.id as string, `?limit=200&cursor=${nextCursor}`);
    expect(next.body.failures.data.map(({ line }: any) => line)).toEqual(
      Array.from({ length: 200 }, (_, index) => index + 51),
    );
    const [row] = await instance.sql('SELECT max(line) FROM import_failures WHERE import_id = $1', [body.id]);
    expect(row).toEqual({ max: 10_000 });
    const { body: other } = await importLines(instance, '{}\n');
    expect(await getImport(other.id as string, `?cursor=${nextCursor}`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_cursor' },
    });
  });

  it('rejects an invalid query or content type, and other routes reject lines (IN-03)', async () => {
    const lines = createCustomers(1);
    const send = (query: Record<string, string>, type: string, path = PATH): Promise<TestResponse> =>
      instance.request('POST', `${path}?${new URLSearchParams(query)}`, {
        body: toNdjson(lines),
        headers: { ...bearerHeader(instance.credentials.secretKey), 'content-type': type },
      });
    const ndjson = 'application/x-ndjson';
    for (const [field, value] of Object.entries({
      importId: 'a',
      projectId: 'a',
      emitEvents: 'yes',
      more: '1',
    }))
      expect(await send({ [field]: value }, ndjson)).toMatchObject({
        status: 400,
        body: { errors: [{ field }] },
      });
    // A list's options are in the body.
    const inQuery = await send({ emitEvents: 'true' }, 'application/json');
    expect(inQuery).toMatchObject({ status: 400, body: { errors: [{ field: 'emitEvents' }] } });
    for (const type of [`${ndjson}; charset=utf-16`, 'application/ndjson', 'text/plain'])
      expect(await send({}, type)).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
    expect((await send({}, ndjson, '/api/v1/customers')).status).toBe(415);
    expect(await findCustomer(lines[0]!.email)).toBeUndefined();
  });
});

describe('an interrupted import', () => {
  it('resumes after the last committed line without duplicates, and stays final once completed', async () => {
    const [importId, domain] = createIds();
    const text = `${toNdjson(createCustomers(800, domain))}{}\n`;
    const interrupted = await openBatch(importId, createCustomers(800, domain).slice(0, 600));
    expect((await getImport(importId)).body).toMatchObject({ state: 'running', finishedAt: null });
    interrupted.abort();
    const seen = await eventually('the interruption', async () => {
      const { body } = await getImport(importId);
      return body.state === 'interrupted' && body;
    });
    expect(seen).toMatchObject({ lastLine: 500, created: 500, finishedAt: null });
    expect(instance.api.output).not.toContain('internal_error');
    const { status, body } = await importLines(instance, text, { importId });
    expect(status).toBe(200);
    const counts = { total: 801, created: 800, skipped: 0, failed: 1, lastLine: 801 };
    expect(body).toMatchObject({
      id: importId,
      state: 'completed',
      ...counts,
      finishedAt: expect.any(String),
    });
    const again = await importLines(instance, text, { importId });
    const { updatedAt: _, finishedAt: __, ...same } = body;
    expect(again).toMatchObject({ status: 200, body: same });
    expect(await countCustomers(domain)).toBe(800);
  });

  it('resumes only with the same lines, and rejects different lines instead of skipping them', async () => {
    const [importId, domain] = createIds();
    const lines = createCustomers(10, domain);
    await importLines(instance, toNdjson(lines), { importId });
    const row = () => instance.sql('SELECT * FROM imports WHERE id = $1', [importId]);
    const before = await row();
    expect(before).toMatchObject([{ state: 'completed', finished_at: expect.any(Date) }]);
    const changed = [{ email: uniqueEmail() }, ...lines.slice(1), { email: uniqueEmail() }];
    for (const other of [changed, lines.slice(0, 5), []]) {
      expect(await importLines(instance, toNdjson(other), { importId })).toMatchObject({
        status: 409,
        body: { code: 'conflict' },
      });
    }
    expect(await row()).toEqual(before);
    expect(await findCustomer(changed[0]!.email)).toBeUndefined();
    expect(await findCustomer(changed[10]!.email)).toBeUndefined();
    const longer = await importLines(instance, toNdjson([...lines, ...createCustomers(5, domain)]), {
      importId,
    });
    expect(longer.body).toMatchObject({ state: 'completed', created: 10, skipped: 5, lastLine: 15 });
  });

  it('is continued only by a request with the same lines; the first request stops writing', async () => {
    const [importId, domain] = createIds();
    const lines = createCustomers(1_100, domain);
    const first = await openBatch(importId, lines.slice(0, 600));
    expect((await importLines(instance, toNdjson(createCustomers(600)), { importId })).status).toBe(409);
    expect((await getImport(importId)).body).toMatchObject({ state: 'running', lastLine: 500 });
    const second = await importLines(instance, toNdjson(lines), { importId });
    expect(second.body).toMatchObject({ state: 'completed', created: 1_100 });
    first.send(toNdjson(lines.slice(600)));
    expect(await first.finish()).toMatchObject({ status: 409, body: { code: 'conflict' } });
    const done = { state: 'completed', created: 1_100, lastLine: 1_100 };
    expect((await getImport(importId)).body).toMatchObject(done);
    expect(await countCustomers(domain)).toBe(1_100);
  });

  it('uses the Idempotency-Key as its id if no importId is given (HD-04)', async () => {
    const [key, domain] = createIds();
    const send = (headers = {}) =>
      importLines(instance, toNdjson(createCustomers(5, domain)), {}, { 'idempotency-key': key, ...headers });
    const [first, second] = [await send(), await send()];
    expect(first.body).toMatchObject({ created: 5, skipped: 0 });
    expect(second.body).toMatchObject({ id: first.body.id, created: 5, skipped: 0, total: 5 });
    expect((await getImport(first.body.id as string)).status).toBe(200);
    expect((await send({ 'idempotency-key': 'with space' })).status).toBe(400);
  });

  it.each([
    ['signs out', 'operator_session_required', 'DELETE FROM operator_sessions WHERE operator_id = $1'],
    ['loses the role', 'operator_session_required', `UPDATE operators SET role = 'viewer' WHERE id = $1`],
    [
      'loses the organization',
      'not_found',
      'UPDATE operators SET organization_ids = ARRAY[gen_random_uuid()] WHERE id = $1',
    ],
  ])('stops if the admin who started it %s', async (_, code, change) => {
    const admin = await insertOperator(instance);
    const [importId, domain] = createIds();
    const lines = createCustomers(1_200, domain);
    const credential = { ...CONSOLE_HEADER, cookie: admin.cookieHeader() };
    const stream = await openBatch(importId, lines.slice(0, 600), credential);
    expect(await admin.request('GET', `/imports/${importId}`)).toMatchObject({
      body: { state: 'running', created: 500 },
    });
    await instance.sql(change, [admin.operator.id]);
    stream.send(toNdjson(lines.slice(600)));
    expect(await stream.finish(false)).toMatchObject({ body: { code } });
    expect((await getImport(importId)).body).toMatchObject({ state: 'interrupted', lastLine: 500 });
  });

  it('requires operators to be admins and to specify a project', async () => {
    const { projectId } = instance.credentials;
    const customers = createCustomers(1);
    const importAs = async (role: string, body: object) =>
      (await insertOperator(instance, role)).request('POST', '/customers/import', { customers, ...body });
    expect(await importAs('operator', { projectId })).toMatchObject({ status: 403 });
    expect(await importAs('admin', {})).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'projectId', code: 'required' }] },
    });
    expect(await importAs('admin', { projectId })).toMatchObject({ status: 200, body: { created: 1 } });
  });

  it('stops when the key that started it is revoked (AK-07)', async () => {
    const key = await insertKey(instance, { ...instance.credentials, type: 'secret' });
    const [importId, domain] = createIds();
    const lines = createCustomers(1_200, domain);
    const stream = await openBatch(importId, lines.slice(0, 600), key);
    await instance.sql('UPDATE api_keys SET revoked_at = now() WHERE prefix || last4 = $1', [
      key.slice(0, 8) + key.slice(-4),
    ]);
    stream.send(toNdjson(lines.slice(600)));
    expect(await stream.finish(false)).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer' },
      body: { code: 'invalid_api_key' },
    });
    expect((await getImport(importId)).body).toMatchObject({ state: 'interrupted', lastLine: 500 });
    expect(await countCustomers(domain)).toBe(500);
  });
});

describe('the access of an import', () => {
  it('covers only the unarchived projects of the key (AK-05)', async () => {
    const { projectId } = await insertProject(instance, instance.credentials.organizationId);
    const send = (customers: { email: string }[], targetProjectId: string): Promise<TestResponse>[] => [
      importList({ projectId: targetProjectId, customers }),
      importLines(instance, toNdjson(customers), { projectId: targetProjectId }),
    ];
    const customers = createCustomers(1);
    const [list, lines] = await Promise.all(send(customers, projectId));
    expect(list!.body.created + lines!.body.created).toBe(1);
    expect(await findCustomer(customers[0]!.email)).toMatchObject({ project_id: projectId });
    for (const response of await Promise.all(send(createCustomers(1), randomUUID())))
      expect(response).toMatchObject({ status: 404, body: { code: 'not_found' } });
    await instance.sql('UPDATE projects SET archived_at = now() WHERE id = $1', [projectId]);
    for (const response of await Promise.all(send(createCustomers(1), projectId)))
      expect(response).toMatchObject({ status: 409, body: { code: 'project_archived' } });
  });

  it('requires only customer:write, even for hashes (AK-06)', async () => {
    const insertKeyWithScopes = (scopes: string[]) =>
      insertKey(instance, { ...instance.credentials, type: 'secret', scopes });
    const line = { email: uniqueEmail(), passwordHash: bcrypt.hashSync(PASSWORD, 4) };
    const send = async (scope: string) =>
      importLines(instance, toNdjson([line]), {}, bearerHeader(await insertKeyWithScopes([scope])));
    const rejected = { status: 403, body: { requiredScopes: ['customer:write'] } };
    expect(await send('customer:read')).toMatchObject(rejected);
    expect((await send('customer:write')).body.created).toBe(1);
    expect((await login(line.email)).status).toBe(200);
  });
});

it('imports are deleted after 30 days', async () => {
  const { body: old } = await importLines(instance, '{}\n{}\n');
  const { body: recent } = await importLines(instance, '{}\n');
  const backdate = (column: string) =>
    instance.sql(`UPDATE imports SET ${column} = now() - interval '31 days' WHERE id = $1`, [old.id]);
  await backdate('created_at');
  await backdate('updated_at');
  const worker = instance.startWorker({ PERIODIC_JOBS: 'off' });
  await worker.waitUntilReady();
  await worker.runJob('imports');
  expect((await getImport(old.id as string)).status).toBe(404);
  const remaining = await instance.sql('SELECT 1 FROM import_failures WHERE import_id = $1', [old.id]);
  expect(remaining).toEqual([]);
  expect((await getImport(recent.id as string)).body.failures.data).toHaveLength(1);
});
