import { expectStatus, refreshSession, requestEmailChange } from '../support/customers.js';
import { bearerHeader, PASSWORD, type TestResponse, type TestInstance } from '../support/test-instance.js';
import type { Manifest, ProjectKeys } from './manifest.js';
import { send } from './requests.js';

/** Number of a customer's events that one transaction erases. The others are erased in the background. */
const ERASED_AT_ONCE = 500;

/** Number of requests that are sent at a time. */
const CHUNK = 20;

const AGENTS = [
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:132.0) Gecko/20100101 Firefox/132.0',
  'curl/8.14.1',
];

/** Creates customers who use their account, and customers whom a server manages. */
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
      if (number % 9 === 5) await send(this.instance, accessToken, 'POST', '/api/v1/auth/logout');
      if (number % 9 === 8)
        await send(this.instance, accessToken, 'POST', '/api/v1/me/delete', { currentPassword: PASSWORD });
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
    await send(this.instance, secretKey, 'PATCH', path, { metadata: { note: 'a line\nand a \\ backslash' } });
    await send(this.instance, secretKey, 'POST', `${path}/disable`);
  }

  /**
   * Deletes two customers: one with undelivered events, whose data is erased, and one with more events than
   * are erased at once.
   */
  async deleteCustomers(): Promise<void> {
    const { instance } = this;
    const [{ secretKey }, other] = this.projects;
    const path = '/api/v1/customers';
    const { id } = await send(instance, secretKey, 'POST', path, { email: 'deleted@example.com' });
    await send(instance, secretKey, 'DELETE', `${path}/${id}`);
    const busy = await send(instance, other.secretKey, 'POST', path, { email: 'busy@example.com' });
    for (let from = 0; from < ERASED_AT_ONCE; from += CHUNK)
      await Promise.all(
        Array.from({ length: CHUNK }, (_, index) =>
          send(instance, other.secretKey, 'PATCH', `${path}/${busy['id']}`, { firstName: `${from + index}` }),
        ),
      );
    await send(instance, other.secretKey, 'DELETE', `${path}/${busy['id']}`);
  }

  private async lockOne(): Promise<string> {
    const email = 'locked@example.com';
    await send(this.instance, this.projects[0].secretKey, 'POST', '/api/v1/customers', {
      email,
      password: PASSWORD,
    });
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
}
