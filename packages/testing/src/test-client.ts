import type { components } from './openapi.js';

type Schemas = components['schemas'];

/** A customer, with the fields that a secret key can read. */
export type Customer = Schemas['CustomerResponse'];
/** The fields for a new customer. */
export type CustomerFields = Partial<Schemas['CreateCustomerRequest']>;
/** The response to a sign-in: the tokens and the customer, or a second factor challenge. */
export type AuthResponse = Schemas['AuthResponse'];

export interface TestClientOptions {
  /** The Gatehouse URL, such as http://127.0.0.1:3000. */
  url: string;
  /** A secret key of a test project, with the scopes customer:write, customer:delete and customer:impersonate. */
  secretKey: string;
  /** A publishable key of the same project. */
  publishableKey: string;
}

export interface SignInTokenOptions {
  /** Reason for signing in as the customer, for the audit log. 1 to 500 characters. Default: "End-to-end test". */
  reason?: string;
}

/** An error response from Gatehouse. */
export class TestClientError extends Error {
  override readonly name = 'TestClientError';

  constructor(
    /** The HTTP status. */
    readonly status: number,
    /** The error code, such as `insufficient_scope`, or `unknown` if the response has none. */
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** Creates customers and signs them in. All methods throw TestClientError for an error response. */
export interface TestClient {
  readonly url: string;
  readonly publishableKey: string;

  /**
   * Creates a customer with a verified, unique address at example.com, unless the fields contain another one. Without a
   * password, only `signInToken`, `signInAs` and `testEmailCode` sign the customer in.
   */
  createCustomer(fields?: CustomerFields): Promise<Customer>;

  /**
   * Returns a token that signs a customer in once, within five minutes. The session is a support session, which does
   * not count as recently authenticated.
   */
  signInToken(customerId: string, options?: SignInTokenOptions): Promise<string>;

  /** Signs a customer in with a new token from `signInToken`. */
  signInAs(customerId: string, options?: SignInTokenOptions): Promise<AuthResponse>;

  /**
   * Signs in with the project setting `testEmailCode`, without an email. Creates the customer if the project allows it.
   * @param email an address at example.com or under .test
   */
  testEmailCode(email: string, code: string): Promise<AuthResponse>;

  /**
   * Deletes customers. Ignores those that no longer exist.
   * @param customerIds default: all customers that this client's `createCustomer` created
   */
  deleteCustomers(customerIds?: string[]): Promise<void>;
}

/** Returns a client for tests. Use it only in Node.js: a secret key must never reach a browser. */
export function createTestClient({ url, secretKey, publishableKey }: TestClientOptions): TestClient {
  const baseUrl = url.replace(/\/+$/, '');
  const created = new Set<string>();

  async function send(method: string, path: string, headers: HeadersInit, body?: unknown): Promise<unknown> {
    const response = await fetch(`${baseUrl}/api/v1${path}`, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw await readError(`${method} /api/v1${path}`, response);
    return response.status === 204 ? undefined : response.json();
  }
  const sendWithSecretKey = (method: string, path: string, body?: unknown): Promise<unknown> =>
    send(method, path, { Authorization: `Bearer ${secretKey}` }, body);
  const signIn = (path: string, body: unknown): Promise<unknown> =>
    send('POST', `/auth/${path}`, { 'X-Publishable-Key': publishableKey }, body);
  const customerPath = (customerId: string): string => `/customers/${encodeURIComponent(customerId)}`;

  const client: TestClient = {
    url: baseUrl,
    publishableKey,

    async createCustomer(fields = {}) {
      const body = { email: `${crypto.randomUUID()}@example.com`, emailVerified: true, ...fields };
      const customer = (await sendWithSecretKey('POST', '/customers', body)) as Customer;
      created.add(customer.id);
      return customer;
    },

    async signInToken(customerId, { reason = 'End-to-end test' } = {}) {
      const path = `${customerPath(customerId)}/sign-in-tokens`;
      const { token } = (await sendWithSecretKey('POST', path, { reason })) as Schemas['SignInTokenResponse'];
      return token;
    },

    async signInAs(customerId, options) {
      const token = await client.signInToken(customerId, options);
      return (await signIn('sign-in-token', { token })) as AuthResponse;
    },

    async testEmailCode(email, code) {
      const { challenge } = (await signIn('email-code', { email })) as Schemas['EmailCodeResponse'];
      return (await signIn('email-code/verify', { token: challenge.token, code })) as AuthResponse;
    },

    async deleteCustomers(customerIds = [...created]) {
      for (const customerId of customerIds) {
        await sendWithSecretKey('DELETE', customerPath(customerId)).catch(ignoreMissing);
        created.delete(customerId);
      }
    },
  };
  return client;
}

async function readError(request: string, response: Response): Promise<TestClientError> {
  const problem = (await response.json().catch(() => ({}))) as Partial<Schemas['Problem']>;
  const { code = 'unknown', detail = response.statusText, requiredScopes = [], errors = [] } = problem;
  const details = [...requiredScopes, ...errors.map(({ field, message }) => `${field}: ${message}`)];
  const text = [detail, ...details].join(' ');
  return new TestClientError(response.status, code, `${request}: ${response.status} ${code}: ${text}`);
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof TestClientError && error.status === 404)) throw error;
}
