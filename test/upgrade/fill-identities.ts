import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { expectStatus } from '../support/customers.js';
import type { StandInClient } from '../support/identity-providers/grants.js';
import { createProviderUser } from '../support/identity-providers/provider-user.js';
import {
  createDomainProvider,
  createVerifiedProvider,
  requestProviders,
} from '../support/identity-providers/provider-domains.js';
import type { StandInProvider } from '../support/identity-providers/stand-in-provider.js';
import type { NameServer } from '../support/name-server.js';
import { portablePasskey } from '../support/passkeys.js';
import { redirectUrl } from '../support/sign-in-methods.js';
import { addProvider, requestAsPage, beginOAuth, exchange, completeFlow } from '../support/social-sign-in.js';
import { SoftwareAuthenticator } from '../support/software-authenticator.js';
import type { TestInstance } from '../support/test-instance.js';
import { randomTotpSecret } from '../support/totp.js';
import type { SignInFixture } from './manifest.js';
import { send } from './requests.js';

type IdentityPart = Pick<SignInFixture, 'provider' | 'imported'>;

/** Adds identity providers and domains, and signs people in at a provider. */
export class IdentityFiller {
  private readonly project: { id: string; publishableKey: string };

  /** @param members has the credentials for the project with every sign-in method */
  constructor(
    private readonly members: TestInstance,
    private readonly server: StandInProvider,
    private readonly nameServer: NameServer,
  ) {
    const { projectId: id, publishableKey } = members.credentials;
    this.project = { id, publishableKey };
  }

  async fill(): Promise<IdentityPart> {
    const provider = await this.signIn();
    await this.signInNatively();
    await this.addApple();
    await createDomainProvider(this.members, { slug: 'unverified' });
    await createVerifiedProvider(this.members, this.nameServer, { slug: 'workforce' });
    return { provider, imported: await this.importCustomer(provider.slug) };
  }

  /** Signs a person in at an OpenID Provider, and leaves another sign-in unfinished. */
  private async signIn(): Promise<IdentityPart['provider']> {
    const { client, provider } = await this.addProvider('oidc', 'work');
    const person = (this.server.user = createProviderUser());
    const flow = await beginOAuth(this.members, this.project, provider.slug, { redirectUrl });
    const { code } = await completeFlow(flow);
    expectStatus(200, await exchange(this.members, this.project, flow, code));
    await beginOAuth(this.members, this.project, provider.slug, { redirectUrl, state: 'unfinished' });
    const { clientId, clientSecret } = client;
    const { sub: subject, email } = person;
    return { id: provider.id, slug: provider.slug, clientId, clientSecret, subject, email: email! };
  }

  /** Signs a person in with an id token, as an app on a device does. */
  private async signInNatively(): Promise<void> {
    const { client, provider } = await this.addProvider('google', 'google');
    this.server.user = createProviderUser();
    const idToken = await this.server.issueIdToken({ aud: client.clientId, nonce: 'n', jti: randomUUID() });
    const path = `oauth/${provider.slug}/token`;
    expectStatus(200, await requestAsPage(this.members, this.project, path, { idToken, nonce: 'n' }));
  }

  /** Adds a provider with a private key. No customer has signed in with it. */
  private async addApple(): Promise<void> {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const body = {
      ...{ type: 'apple', slug: 'apple', clientId: 'com.example.web', teamId: 'ABCDE12345' },
      ...{ keyId: 'KEY1234567', privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) },
    };
    expectStatus(201, await requestProviders(this.members, 'POST', '', body));
  }

  /** Imports a customer who has not signed in yet, with a second factor, a passkey and an account at a provider. */
  private async importCustomer(provider: string): Promise<IdentityPart['imported']> {
    const authenticator = new SoftwareAuthenticator();
    const [email, totpSecret, subject] = ['imported-member@example.com', randomTotpSecret(), randomUUID()];
    const line = {
      ...{ email, emailVerified: true, totpSecret, externalId: 'imported-member', mfa: 'required' },
      ...{ passkeys: [portablePasskey(authenticator)], identities: [{ provider, subject }] },
    };
    const { secretKey } = this.members.credentials;
    const imported = await send(this.members, secretKey, 'POST', '/api/v1/customers/import', {
      customers: [line],
    });
    if (imported['created'] !== 1) throw new Error(`not imported: ${JSON.stringify(imported)}`);
    return { email, subject, totpSecret };
  }

  /** Adds a provider, and returns it with its client's credentials. */
  private async addProvider(type: string, slug: string) {
    let client!: StandInClient;
    const server = {
      addClient: (options: { redirectUri: string }) => (client = this.server.addClient(options)),
    };
    const fields = { type, slug, issuer: this.server.issuer };
    const provider = await addProvider(this.members, this.project, server, fields);
    return { client, provider };
  }
}
