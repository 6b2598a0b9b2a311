import { expectStatus } from '../support/customers.js';
import type { OpenIdProvider } from '../support/identity-providers/open-id-provider.js';
import { createProviderUser } from '../support/identity-providers/provider-user.js';
import { UserAgent } from '../support/identity-providers/user-agent.js';
import { inviteOperator, OperatorClient, OPERATOR_COOKIE } from '../support/operator-client.js';
import { SoftwareAuthenticator } from '../support/software-authenticator.js';
import { PASSWORD, type TestInstance, type TestResponse } from '../support/test-instance.js';
import type { SignInFixture } from './manifest.js';

/** Creates operators with every kind of account, and their settings, sessions and invitations. */
export class OperatorFiller {
  constructor(
    private readonly instance: TestInstance,
    private readonly admin: OperatorClient,
    /** The OpenID Provider at which operators sign in. */
    private readonly provider: OpenIdProvider,
  ) {}

  async fill(organizationId: string): Promise<SignInFixture['operator']> {
    const viewer = await inviteOperator(this.admin, 'viewer');
    await this.saveSettings(viewer);
    const invited = 'invited-operator@example.com';
    await this.invite({ email: invited, role: 'operator', organizationIds: [organizationId] });
    const operator = await this.createPasskeyOperator(organizationId);
    await this.signInAtProvider();
    await this.beginEnrollment();
    const { email } = this.admin.operator;
    await this.begin(email, 'not the password', 401);
    return operator;
  }

  private async saveSettings(operator: OperatorClient): Promise<void> {
    const columns = { events: ['event', 'time'], customers: ['-email', 'status'] };
    await this.send(operator, 'PATCH', '/preferences', { timeZone: 'utc', pageSize: 200, columns });
    const view = { list: 'deliveries', name: 'Failed today', query: 'success=false&time=today' };
    await this.send(operator, 'POST', '/views', view);
  }

  /** Creates an operator who is limited to an organization, with a passkey as the second factor. */
  private async createPasskeyOperator(organizationId: string): Promise<SignInFixture['operator']> {
    const email = 'passkey-operator@example.com';
    await this.acceptInvitation({ email, role: 'operator', organizationIds: [organizationId] });
    const client = await this.begin(email, PASSWORD, 200);
    const authenticator = new SoftwareAuthenticator();
    const { options } = await this.send(client, 'POST', '/enrollment/passkey/options');
    const response = authenticator.create(options, { origin: this.instance.baseUrl });
    await this.send(client, 'POST', '/enrollment/passkey', { name: 'Laptop', response });
    return { email, password: PASSWORD, authenticator: authenticator.store() };
  }

  /** Signs an operator in at the provider, and leaves another sign-in unfinished. */
  private async signInAtProvider(): Promise<void> {
    this.provider.user = createProviderUser({
      groups: ['gatehouse-admins'],
      email: 'sso-operator@example.com',
    });
    const agent = new UserAgent();
    const { hostname } = new URL(this.instance.baseUrl);
    await agent.open(await this.beginAtProvider(agent));
    if (!agent.cookies.get(hostname, OPERATOR_COOKIE)) throw new Error('the single sign-on failed');
    await this.beginAtProvider(new UserAgent());
  }

  private async beginAtProvider(agent: UserAgent): Promise<string> {
    const body = { to: '/events', isSeparateWindow: false };
    const begun = await new OperatorClient(this.instance).request('POST', '/session/oidc', body);
    agent.cookies.store(new URL(this.instance.baseUrl), begun.headers.getSetCookie());
    return expectStatus(200, begun).body.url as string;
  }

  /** Leaves the enrollment of an authenticator unfinished. */
  private async beginEnrollment(): Promise<void> {
    const email = 'enrolling-operator@example.com';
    await this.acceptInvitation({ email, role: 'viewer' });
    const client = await this.begin(email, PASSWORD, 200);
    await this.send(client, 'POST', '/enrollment');
  }

  private async acceptInvitation(body: { email: string; role: string; organizationIds?: string[] }) {
    const accepted = { token: await this.invite(body), password: PASSWORD };
    const client = new OperatorClient(this.instance);
    expectStatus(200, await client.request('POST', '/invitations/accept', accepted));
  }

  /** Invites an operator. @returns the invitation's token */
  private async invite(body: { email: string; role: string; organizationIds?: string[] }): Promise<string> {
    const { invitationUrl } = expectStatus(201, await this.admin.request('POST', '/operators', body)).body;
    return new URLSearchParams(new URL(invitationUrl as string).hash.slice(1)).get('token')!;
  }

  /** Sends an email address and a password. */
  private async begin(email: string, password: string, status: number): Promise<OperatorClient> {
    const client = new OperatorClient(this.instance);
    expectStatus(status, await client.request('POST', '/session', { email, password }));
    return client;
  }

  private async send(client: OperatorClient, method: string, path: string, body?: object): Promise<any> {
    const response: TestResponse = await client.request(method, `/session${path}`, body);
    if (response.status < 300) return response.body;
    throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(response.body)}`);
  }
}
