import bcrypt from 'bcrypt';
import { argon2id } from 'hash-wasm';
import { pbkdf2Sync, randomUUID, scryptSync } from 'node:crypto';
import { expectStatus, refreshSession, requestEmailChange } from '../support/customers.js';
import { eventually } from '../support/eventually.js';
import { importLines, StreamingImport, toNdjson } from '../support/ndjson.js';
import { bearerHeader, PASSWORD, type TestResponse, type TestInstance } from '../support/test-instance.js';
import type { Manifest, ProjectKeys } from './manifest.js';

const CUSTOMERS = 10_000;
const DAY_MS = 86_400_000;

const AGENTS = [
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:132.0) Gecko/20100101 Firefox/132.0',
  'curl/8.14.1',
];
const FIRST_NAMES = [
  'Ada',
  'Benoît',
  'Carla',
  'Dmitri',
  'Esra',
  'Grace',
  'Ibrahim',
  'Jun',
  'Maya',
  'Noah',
  'Zoë',
];
const LAST_NAMES = [
  'Holm',
  'Laurent',
  'Moretti',
  'Okafor',
  'Ruiz',
  'Tanaka',
  'Virtanen',
  'Yılmaz',
  "O'Brien",
];

const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

/** Returns hashes for PASSWORD as other systems write them, with the lowest costs. */
async function foreignHashes(): Promise<Record<string, string>> {
  const salt = Buffer.from(randomUUID());
  const derived = pbkdf2Sync(PASSWORD, salt, 1_000, 32, 'sha256');
  const scrypt = scryptSync(PASSWORD, salt, 32, { N: 16, r: 8, p: 1 });
  return {
    bcrypt: await bcrypt.hash(PASSWORD, 4),
    argon2id: await argon2id({
      ...{ password: PASSWORD, salt, iterations: 1, parallelism: 1, memorySize: 64, hashLength: 32 },
      outputType: 'encoded',
    }),
    scrypt: `$scrypt$ln=4,r=8,p=1$${base64(salt)}$${base64(scrypt)}`,
    pbkdf2: `$pbkdf2-sha256$i=1000$${base64(salt)}$${base64(derived)}`,
    django: `pbkdf2_sha256$1000$${salt.toString()}$${derived.toString('base64')}`,
  };
}

/** Returns the customer with a number, in the import format. Every fourth one has a plain password. */
function customerLine(number: number, hashes: string[]): Record<string, unknown> {
  const firstName = FIRST_NAMES[number % FIRST_NAMES.length]!;
  const lastName = LAST_NAMES[number % LAST_NAMES.length]!;
  const createdAt = Date.now() - 2 * DAY_MS - number * 90 * 60_000;
  const time = (ms: number): string => new Date(ms).toISOString();
  return {
    email: `customer-${number}@example.com`,
    ...(number % 8 === 7 ? {} : { firstName, lastName }),
    ...(number % 2 === 0 ? { externalId: `crm-${number}` } : {}),
    emailVerified: number % 10 < 7,
    metadata: number % 3 === 0 ? { plan: number % 2 ? 'pro' : 'free', seats: number % 7 } : {},
    ...(number % 5 === 0 ? { publicMetadata: { locale: 'de', tags: ['beta', 'größer'] } } : {}),
    createdAt: time(createdAt),
    ...(number % 3 === 1 ? { lastLoginAt: time(createdAt + DAY_MS) } : {}),
    ...(number % 100 === 99 ? { disabledAt: time(Date.now() - DAY_MS) } : {}),
    ...(number % 4 === 0 ? { password: PASSWORD } : {}),
    ...(number % 4 === 1 ? { passwordHash: hashes[number % hashes.length] } : {}),
  };
}

/** Creates 10,000 customers through the API, with everything that belongs to a customer. */
export class CustomerFiller {
  constructor(
    private readonly instance: TestInstance,
    private readonly projects: Manifest['projects'],
  ) {}

  /** Creates customers who use their account: sessions, one-time tokens, emails, locks and erased data. */
  async createActiveCustomers(): Promise<
    Pick<Manifest, 'refreshTokens'> & { native: string[]; locked: string }
  > {
    const native: string[] = [];
    const refreshTokens: string[] = [];
    for (let number = 0; number < 36; number += 1) {
      const project = this.projects[number % 3]!;
      const email = `active-${number}@example.com`;
      const registered = expectStatus(
        201,
        await this.authenticate(project, 'register', email, AGENTS[number % 3]!),
      );
      const loggedIn = expectStatus(
        200,
        await this.authenticate(project, 'login', email, AGENTS[(number + 1) % 3]!),
      );
      const { accessToken, refreshToken } = loggedIn.body.tokens as Record<
        'accessToken' | 'refreshToken',
        string
      >;
      const tokens = { accessToken, refreshToken };
      if (number === 3) {
        const customer = { id: registered.body.customer.id as string, email, tokens };
        await requestEmailChange(this.instance, customer);
      }
      if (number === 4) expectStatus(200, await this.useVerificationLink(email));
      if (number === 6) await this.postPublic(project, 'forgot-password', { email });
      if (number % 9 === 5) await this.send(accessToken, 'POST', '/api/v1/auth/logout');
      if (number % 9 === 8)
        await this.send(accessToken, 'POST', '/api/v1/me/delete', { currentPassword: PASSWORD });
      if (project !== this.projects[0] || number === 3) continue;
      native.push(email);
      const isRefreshed = number % 2 === 0;
      const session = isRefreshed
        ? expectStatus(200, await refreshSession(this.instance, refreshToken))
        : loggedIn;
      refreshTokens.push(session.body.tokens.refreshToken as string);
    }
    return {
      native: native.slice(0, 5),
      refreshTokens: refreshTokens.slice(0, 5),
      locked: await this.lockOne(),
    };
  }

  /** Imports customers into all projects, with failed lines and one interrupted import. */
  async importCustomers(): Promise<Omit<Manifest['customers'], 'native' | 'locked'>> {
    const formats = await foreignHashes();
    const hashes = [...Object.values(formats), ...Object.values(await foreignHashes())];
    const special = [
      ...Object.entries(formats).map(([name, passwordHash]) => ({
        email: `${name}@example.com`,
        passwordHash,
      })),
      { email: 'without-password@example.com', emailVerified: true },
      { email: 'unverified@example.com', password: PASSWORD },
      { email: 'disabled@example.com', password: PASSWORD, disabledAt: new Date().toISOString() },
    ];
    await this.import(this.projects[0], [
      ...special,
      { email: 'disabled@example.com' },
      { email: 'not an address' },
      { email: 'weak@example.com', password: 'password' },
    ]);
    await this.interruptImport();
    const lines = (from: number, count: number): object[] =>
      Array.from({ length: count }, (_, index) => customerLine(from + index, hashes));
    await this.import(this.projects[0], lines(0, 4_000));
    await this.import(this.projects[1], lines(4_000, 2_000));
    // Another project's external ids are reused: they are unique only within a project.
    const missing = CUSTOMERS - (await this.count());
    await this.import(this.projects[2], lines(0, missing));
    if ((await this.count()) !== CUSTOMERS) throw new Error('an import has created too few customers');
    return {
      imported: Object.fromEntries(Object.keys(formats).map((name) => [name, `${name}@example.com`])),
      withoutPassword: 'without-password@example.com',
      unverified: 'unverified@example.com',
      disabled: 'disabled@example.com',
    };
  }

  /** Creates a customer with an Idempotency-Key, one with an invitation, and one who is disabled. */
  async manageCustomers(): Promise<void> {
    const { secretKey } = this.projects[0];
    const create = async (body: object, headers = {}): Promise<string> => {
      const options = { body, headers: { ...bearerHeader(secretKey), ...headers } };
      const response = await this.instance.request('POST', '/api/v1/customers', options);
      return expectStatus(201, response).body.id as string;
    };
    const idempotencyHeader = { 'idempotency-key': 'create-idempotent-customer' };
    await create({ email: 'idempotent@example.com', externalId: 'once' }, idempotencyHeader);
    await create({ email: 'idempotent@example.com', externalId: 'once' }, idempotencyHeader);
    await create({ email: 'invited@example.com', sendInvite: true });
    const path = `/api/v1/customers/${await create({ email: 'managed@example.com', password: PASSWORD })}`;
    await this.send(secretKey, 'PATCH', path, { metadata: { note: 'a line\nand a \\ backslash' } });
    await this.send(secretKey, 'POST', `${path}/disable`);
  }

  /** Deletes a customer, whose data is erased from events that are not delivered yet. */
  async deleteOne(): Promise<void> {
    const { secretKey } = this.projects[0];
    const { id } = await this.send(secretKey, 'POST', '/api/v1/customers', { email: 'deleted@example.com' });
    await this.send(secretKey, 'DELETE', `/api/v1/customers/${id}`);
  }

  /** Sends a request with a secret key or an access token. @throws Error unless it succeeds */
  async send(credential: string, method: string, path: string, body?: unknown): Promise<Record<string, any>> {
    const response = await this.instance.requestWithBearer(credential, method, path, body);
    if (response.status < 300) return response.body as Record<string, any>;
    throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(response.body)}`);
  }

  private async lockOne(): Promise<string> {
    const email = 'locked@example.com';
    await this.send(this.projects[0].secretKey, 'POST', '/api/v1/customers', { email, password: PASSWORD });
    let status = 0;
    while (status !== 429) ({ status } = await this.instance.login(email, 'not the password'));
    return email;
  }

  private async useVerificationLink(email: string): Promise<TestResponse> {
    const token = await this.instance.getVerificationToken(email);
    return this.instance.request('POST', '/api/v1/auth/verify-email', { body: { token } });
  }

  private authenticate(
    project: ProjectKeys,
    action: string,
    email: string,
    agent: string,
  ): Promise<TestResponse> {
    return this.postPublic(project, action, { email, password: PASSWORD }, { 'user-agent': agent });
  }

  private postPublic(
    project: ProjectKeys,
    action: string,
    body: object,
    headers = {},
  ): Promise<TestResponse> {
    const key = { 'x-publishable-key': project.publishableKey };
    return this.instance.request('POST', `/api/v1/auth/${action}`, { body, headers: { ...key, ...headers } });
  }

  private async import({ projectId, secretKey }: ProjectKeys, customers: object[]): Promise<void> {
    const query = { projectId, importId: randomUUID() };
    expectStatus(200, await importLines(this.instance, toNdjson(customers), query, bearerHeader(secretKey)));
  }

  private async interruptImport(): Promise<void> {
    const { projectId, secretKey } = this.projects[1];
    const importId = randomUUID();
    const upload = new StreamingImport(this.instance, { projectId, importId }, secretKey);
    upload.send(
      toNdjson(Array.from({ length: 501 }, (_, index) => ({ email: `partial-${index}@example.com` }))),
    );
    const waitForState = (state: string, lines: number) =>
      eventually(`the import to be ${state}`, async () => {
        const rows = await this.instance.sql(
          `SELECT FROM imports WHERE id = $1 AND state = $2 AND last_line >= $3`,
          [importId, state, lines],
        );
        return rows.length > 0;
      });
    await waitForState('running', 500);
    upload.abort();
    await waitForState('interrupted', 500);
  }

  private async count(): Promise<number> {
    const [row] = await this.instance.sql<{ count: number }>('SELECT count(*)::int AS count FROM customers');
    return row!.count;
  }
}
