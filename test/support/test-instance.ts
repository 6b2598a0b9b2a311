import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { adminUrl, createDatabase, dropDatabase } from './databases.mjs';
import { eventually } from './eventually.js';
import { fetchDocumented } from './fetch-documented.js';
import { retryWhileRejected } from './retry-while-rejected.js';
import { redisDatabase } from './redis-database.mjs';
import { entryPoints, freePort, ServerProcess } from './server-process.mjs';
import { testWorker } from './test-worker.js';
import { uniqueEmail } from './unique-email.js';

/** The queue for delivery jobs. */
export type Queue = 'postgresql' | 'redis';

/** The queues that can be tested on this machine. Redis is included only if it is installed. */
export const availableQueues: Queue[] = process.env['TEST_REDIS_URL']
  ? ['postgresql', 'redis']
  : ['postgresql'];

/** The content of `DATA_DIR/credentials.json` (contract, section 6). */
interface Credentials {
  baseUrl: string;
  organizationId: string;
  projectId: string;
  secretKey: string;
  projectSecretKey: string;
  publishableKey: string;
  operator: { email: string; password: string };
}

/**
 * Lets API processes look up keys and their projects again, instead of using results from the last second. Processes in
 * production do not accept the command.
 */
const clearCredentialCaches = async (processes: ServerProcess[]): Promise<void> => {
  const apis = new Set(processes.filter(({ entryPoint }) => entryPoint === entryPoints.api));
  await Promise.all(
    [...apis]
      .filter(({ isRunning, acceptsCommands }) => isRunning && acceptsCommands)
      .map((api) => api.runCommand('clear-credential-cache')),
  );
};

/** Matches SQL that changes data in the credential cache. */
const changesCredentials = /\b(UPDATE|DELETE FROM)\s+(api_keys|projects|organizations)\b/i;

export interface TestResponse<Body = any> {
  status: number;
  headers: Headers;
  body: Body;
}

export interface InstanceOptions {
  queue?: Queue;
  /** Settings of all processes. A function returns settings that depend on the database URLs. */
  env?: Record<string, string> | ((database: { url: string; ownerUrl: string }) => Record<string, string>);
  /** Settings of the workers only. */
  workerEnv?: Record<string, string>;
  /** Number of workers. Default: 1. */
  workers?: number;
  /** The database template. Default: the migrated template. */
  template?: string;
  /**
   * An earlier version's programs. Their database has one role, and their responses are not compared with the OpenAPI
   * document.
   */
  programs?: Programs;
  /** `all` runs the api and a worker under one supervisor. Default: `api`. */
  program?: 'api' | 'all';
}

/** The programs' entry points. */
export type Programs = Pick<typeof entryPoints, 'api' | 'worker'>;

export interface SharedOptions {
  queue?: Queue;
  /** Settings of the api and the workers, in addition to the settings of all shared servers. */
  env?: Record<string, string>;
  /** Settings of the workers only. */
  workerEnv?: Record<string, string>;
  /** Number of workers. Default: 1. */
  workers?: number;
}

export interface RequestOptions {
  body?: unknown;
  headers?: Record<string, string>;
  baseUrl?: string;
}

/** One request and its response, as the client observed them. */
export interface Exchange {
  /** The request time, in ms since 1970. */
  at: number;
  /** Time until the response was received completely. */
  ms: number;
  method: string;
  /** The path without the query. */
  path: string;
  requestBody: any;
  /** The request's access token, if any. */
  accessToken: string | null;
  /** Null if there was no response or an undocumented one. */
  response: TestResponse | null;
  error?: unknown;
}

/** Returns the settings of all shared servers. No test may send a DNS query to the internet. */
const sharedEnv = async () => ({
  RATE_LIMITS: 'off',
  WEBHOOK_DNS_SERVERS: `127.0.0.1:${await testWorker!.nameServerPort()}`,
});

export const PASSWORD = 'an unusual long phrase';

/** Returns the `Authorization` header for a secret key or an access token. */
export const bearerHeader = (value: string): Record<string, string> => ({ authorization: `Bearer ${value}` });

/** A complete running installation with its own database: real processes, real PostgreSQL, real Redis. */
export class TestInstance {
  credentials!: Credentials;
  api!: ServerProcess;
  workers: ServerProcess[] = [];
  /** All processes that have been started. */
  readonly processes: ServerProcess[] = [];
  /** Called with every exchange (history.ts). */
  onExchange: (exchange: Exchange) => void = () => undefined;
  /** Superuser connections, because tests change the schema. */
  readonly db: pg.Pool;
  /** The programs of processes that are started from now on. */
  programs: Programs = entryPoints;
  /** True to compare responses with the OpenAPI document. Earlier versions do not conform to it. */
  private isDocumented = true;
  private program: 'api' | 'all' = 'api';
  /** Every worker's settings, in addition to the api's. */
  private workerEnv: Record<string, string> = {};

  private constructor(
    readonly env: Record<string, string>,
    private readonly stopSignal: NodeJS.Signals,
    /** Releases or removes the instance's resources after its processes have ended. */
    private readonly release: () => Promise<unknown>,
  ) {
    this.db = new pg.Pool({ connectionString: adminUrl(env['DATABASE_URL']!), max: 4 });
    this.db.on('error', () => undefined);
  }

  /**
   * Returns an instance that uses this jest worker's shared api, with tables and memory in their initial state.
   * Test files may change worker settings freely, but each set of `env` requires another API process
   * (docs/development/tests.md).
   */
  static async startShared(options: SharedOptions = {}): Promise<TestInstance> {
    const { queue = 'postgresql', env = {}, workerEnv = {}, workers = 1 } = options;
    const server = await testWorker!.sharedServer({ ...(await sharedEnv()), ...env }, queue === 'redis');
    const instance = new TestInstance(server.env, 'SIGKILL', async () => (server.isInUse = false));
    instance.api = server.api;
    instance.workerEnv = workerEnv;
    for (let index = 0; index < workers; index += 1) instance.startWorker();
    await instance.waitUntilReady();
    instance.credentials = JSON.parse(server.credentials) as Credentials;
    return instance;
  }

  /** Starts an instance with its own database and processes, for files named `*.dedicated.spec.ts` and similar. */
  static async start(options: InstanceOptions = {}): Promise<TestInstance> {
    if (testWorker?.usesOwnProcesses === false)
      throw new Error(
        'use TestInstance.startShared(), or name the file *.dedicated.spec.ts (docs/development/tests.md)',
      );
    const { queue = 'postgresql', env = {}, workerEnv = {}, workers = 1 } = options;
    const { template = process.env['TEST_TEMPLATE']!, programs = entryPoints, program = 'api' } = options;
    const databaseName = `test_${randomUUID().replaceAll('-', '')}`;
    const port = await freePort();
    const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-instance-'));
    const database = await createDatabase(databaseName, template, programs === entryPoints);
    const instance = new TestInstance(
      {
        PORT: String(port),
        PUBLIC_URL: `http://127.0.0.1:${port}`,
        DATA_DIR: dataDir,
        ...(programs === entryPoints
          ? { DATABASE_URL: database.url, MIGRATE_DATABASE_URL: database.ownerUrl }
          : { DATABASE_URL: database.ownerUrl }),
        GATEHOUSE_SECRET: randomBytes(32).toString('base64url'),
        SEED: 'on',
        BCRYPT_COST: '4',
        ...(queue === 'redis' ? { REDIS_URL: await redisDatabase() } : {}),
        ...(typeof env === 'function' ? env(database) : env),
      },
      'SIGTERM',
      async () => {
        await dropDatabase(databaseName);
        await rm(dataDir, { recursive: true, force: true });
      },
    );
    instance.workerEnv = workerEnv;
    instance.programs = programs;
    instance.isDocumented = programs === entryPoints;
    instance.program = program;
    instance.startApi();
    for (let index = 0; index < workers; index += 1) instance.startWorker();
    await instance.waitUntilReady().catch(async (error: unknown) => {
      await instance.stop();
      throw error;
    });
    return instance;
  }

  get baseUrl(): string {
    return this.env['PUBLIC_URL']!;
  }

  startApi(env: Record<string, string> = {}): ServerProcess {
    const entryPoint = this.program === 'all' ? entryPoints.all : this.programs.api;
    this.api = new ServerProcess(entryPoint, { ...this.env, ...env });
    this.processes.push(this.api);
    return this.api;
  }

  startWorker(env: Record<string, string> = {}): ServerProcess {
    // Only the api runs migrations.
    const { MIGRATE_DATABASE_URL: _, ...workerEnv } = this.env;
    const worker = new ServerProcess(this.programs.worker, { ...workerEnv, ...this.workerEnv, ...env });
    this.workers.push(worker);
    this.processes.push(worker);
    return worker;
  }

  /**
   * Waits until the api accepts requests and every worker has logged that it is ready.
   * @throws Error if one of them ends first
   */
  async waitUntilReady(): Promise<void> {
    const running = this.workers.filter(({ isRunning }) => isRunning);
    await Promise.all([this.api, ...running].map((each) => each.waitUntilReady()));
    if (this.env['SEED'] !== 'on') return;
    const file = await readFile(join(this.env['DATA_DIR']!, 'credentials.json'), 'utf8');
    this.credentials = JSON.parse(file) as Credentials;
  }

  /** Runs a periodic job of the first worker now. Resolves when the job has finished. */
  runJob(name: string): Promise<void> {
    return this.workers.find(({ isRunning }) => isRunning)!.runJob(name);
  }

  /**
   * Sends a request.
   * @param options `baseUrl`: a replica's URL. Default: the first API process
   * @throws Error if the response differs from the OpenAPI document
   */
  async request(method: string, path: string, options: RequestOptions = {}): Promise<TestResponse> {
    const [at, began] = [Date.now(), performance.now()];
    const record = (response: TestResponse | null, error?: unknown): void =>
      this.onExchange({
        at,
        ms: performance.now() - began,
        method,
        path: path.split('?')[0]!,
        requestBody: options.body,
        accessToken: /^Bearer (ey.+)$/.exec(options.headers?.['authorization'] ?? '')?.[1] ?? null,
        response,
        error,
      });
    try {
      const response = await this.exchange(method, path, options);
      record(response);
      const { baseUrl = this.baseUrl } = options;
      if (method !== 'GET' && baseUrl === this.baseUrl && /\/(projects|organizations)\b/.test(path))
        await clearCredentialCaches(this.processes.filter((process) => process !== this.api));
      return response;
    } catch (error) {
      record(null, error);
      throw error;
    }
  }

  private async exchange(
    method: string,
    path: string,
    { body, headers, baseUrl = this.baseUrl }: RequestOptions,
  ): Promise<TestResponse> {
    const send = this.isDocumented ? fetchDocumented : fetch;
    const response = await send(baseUrl + path, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      redirect: 'manual',
    });
    const text = await response.text();
    const isJson = text !== '' && /\bjson/.test(response.headers.get('content-type') ?? '');
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  }

  /** Sends a request with the publishable key. */
  requestWithPublishableKey(method: string, path: string, body?: unknown): Promise<TestResponse> {
    return this.request(method, path, {
      body,
      headers: { 'x-publishable-key': this.credentials.publishableKey },
    });
  }

  /** Sends a request with the organization's secret key. */
  requestWithSecretKey(method: string, path: string, body?: unknown): Promise<TestResponse> {
    return this.requestWithBearer(this.credentials.secretKey, method, path, body);
  }

  /** Sends a request with a customer's access token. */
  requestWithAccessToken(
    accessToken: string,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<TestResponse> {
    return this.requestWithBearer(accessToken, method, path, body);
  }

  /** Sends a request with any secret key or access token. */
  requestWithBearer(credential: string, method: string, path: string, body?: unknown): Promise<TestResponse> {
    return this.request(method, path, { body, headers: bearerHeader(credential) });
  }

  async register(email = uniqueEmail(), more: Record<string, unknown> = {}): Promise<TestResponse> {
    return this.requestWithPublishableKey('POST', '/api/v1/auth/register', {
      email,
      password: PASSWORD,
      ...more,
    });
  }

  /**
   * Logs a customer in with the publishable key.
   * @param headers additional headers, such as those that identify the client
   */
  login(email: string, password = PASSWORD, headers: Record<string, string> = {}): Promise<TestResponse> {
    return this.request('POST', '/api/v1/auth/login', {
      body: { email, password },
      headers: { 'x-publishable-key': this.credentials.publishableKey, ...headers },
    });
  }

  /**
   * Creates an endpoint. Concurrent creations wait for one another, and a busy machine may reject one after a long
   * wait. The creation is then retried.
   */
  async createEndpoint(url: string, events?: string[], more = {}): Promise<{ id: string; secret: string }> {
    const body = { url, ...(events ? { events } : {}), ...more };
    const response = await retryWhileRejected(() =>
      this.requestWithSecretKey('POST', '/v1/webhooks/endpoints', body),
    );
    if (response.status !== 201)
      throw new Error(`endpoint was not created: ${JSON.stringify(response.body)}`);
    return response.body.data as { id: string; secret: string };
  }

  /** Returns the attempt log, oldest first. */
  async listAttempts(filter: Record<string, string> = {}): Promise<Record<string, any>[]> {
    const query = new URLSearchParams({ limit: '200', ...filter });
    const response = await this.requestWithSecretKey('GET', `/v1/webhooks/deliveries?${query}`);
    return (response.body.data as Record<string, any>[]).reverse();
  }

  /** Returns the captured emails of one kind to an address, newest first. */
  async listMails(email: string, kind: string): Promise<Record<string, any>[]> {
    const { body } = await this.requestWithSecretKey(
      'GET',
      `/api/v1/mailbox?email=${encodeURIComponent(email)}`,
    );
    return (body.data as Record<string, any>[]).filter((mail) => mail['kind'] === kind);
  }

  /** Returns the kinds of all emails to an address that were not dropped, oldest first. */
  async listMailKinds(email: string): Promise<string[]> {
    const rows = await this.sql<{ kind: string }>(
      `SELECT kind FROM mails WHERE recipient = $1 AND state <> 'dropped' ORDER BY id`,
      [email],
    );
    return rows.map(({ kind }) => kind);
  }

  /** Returns the token from the link in the newest email of one kind to an address. */
  async getMailToken(email: string, kind: string): Promise<string> {
    const mail = await eventually(`a mail (${kind})`, async () => (await this.listMails(email, kind))[0]);
    return new URL(mail['link'] as string).searchParams.get('token')!;
  }

  /** Returns the token from the newest verification email to an address. */
  getVerificationToken(email: string): Promise<string> {
    return this.getMailToken(email, 'verify-email');
  }

  /** Returns a customer's event bodies, oldest first. */
  async events(customerId: string, type?: string): Promise<Record<string, any>[]> {
    const rows = await this.sql<{ body: string }>(
      `SELECT body FROM events WHERE body LIKE '%' || $1 || '%' AND ($2::text IS NULL OR type = $2) ORDER BY id`,
      [customerId, type ?? null],
    );
    return rows.map(({ body }) => JSON.parse(body) as Record<string, any>);
  }

  /** Executes SQL. Changes to keys, projects and organizations take effect in all API processes immediately. */
  async sql<Row = Record<string, any>>(text: string, values: unknown[] = []): Promise<Row[]> {
    const rows = (await this.db.query(text, values)).rows as Row[];
    if (changesCredentials.test(text)) await clearCredentialCaches([this.api, ...this.processes]);
    return rows;
  }

  async stop(): Promise<void> {
    await Promise.all(this.processes.map((running) => running.stop(this.stopSignal)));
    await this.db.end();
    await this.release();
  }
}
