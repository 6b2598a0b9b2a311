import { completeChallenge, openChallenge } from '../support/customer-factors.js';
import { expectStatus, registerCustomer, type RegisteredCustomer } from '../support/customers.js';
import {
  receiveEmailCode,
  receiveEmailLink,
  receiveReauthenticationCode,
  useEmailLink,
  verifyEmailCode,
  wrongCode,
} from '../support/email-codes.js';
import { HostedSignIn } from '../support/hosted-sign-in.js';
import { LEGACY_PASSWORD } from '../support/legacy-system.js';
import {
  registerWithPasskey,
  requestNewPasskey,
  requestPasskey,
  signInWithPasskey,
} from '../support/passkeys.js';
import { newMigration, redirectUrl } from '../support/sign-in-methods.js';
import { PASSWORD, type TestInstance } from '../support/test-instance.js';
import { totpCode } from '../support/totp.js';
import { uniqueEmail } from '../support/unique-email.js';
import type { SignInFixture } from './manifest.js';
import { send } from './requests.js';

/** Signs customers in with every method that the API itself has, and leaves one of each sign-in unfinished. */
export class SignInFiller {
  /** @param members has the credentials for the project with every sign-in method */
  constructor(private readonly members: TestInstance) {}

  async fill(): Promise<Pick<SignInFixture, 'passkey' | 'totp' | 'refreshToken'>> {
    const passkey = await this.createPasskeys();
    const totp = await this.createSecondFactors();
    await this.sendEmailCodes();
    await this.createSignInTokens();
    await this.openHostedPage();
    expectStatus(200, await this.members.login(uniqueEmail(), LEGACY_PASSWORD));
    return { passkey, ...totp };
  }

  /** Creates a passkey and signs in with it, and leaves a sign-in and a creation unfinished. */
  private async createPasskeys(): Promise<SignInFixture['passkey']> {
    const owner = await registerWithPasskey(this.members);
    const { authenticator, email } = owner;
    authenticator.counter = 1;
    expectStatus(200, await signInWithPasskey(this.members, authenticator));
    await requestPasskey(this.members);
    await requestNewPasskey(this.members, (await registerCustomer(this.members)).tokens);
    authenticator.counter = 2;
    return { email, authenticator: authenticator.store() };
  }

  /**
   * Creates a second factor and signs in with it. Leaves a challenge with a failed attempt, an enrollment and a required
   * enrollment unfinished.
   */
  private async createSecondFactors(): Promise<Pick<SignInFixture, 'totp' | 'refreshToken'>> {
    const owner = await registerCustomer(this.members);
    const { id, secret } = await this.addTotp(owner);
    const confirmed = await this.sendAs(owner, 'POST', `/api/v1/me/factors/totp/${id}/confirm`, {
      code: totpCode(secret),
    });
    const [usedCode, ...recoveryCodes] = confirmed['recoveryCodes'] as [string, ...string[]];
    const challenge = await openChallenge(this.members, owner.email);
    const completed = await completeChallenge(this.members, challenge, usedCode, 'recovery-code');
    const { refreshToken } = expectStatus(200, completed).body.tokens;
    const open = await openChallenge(this.members, owner.email);
    expectStatus(400, await completeChallenge(this.members, open, 'aaaa-aaaa-aaaa', 'recovery-code'));

    await this.addTotp(await registerCustomer(this.members));
    const required = await registerCustomer(this.members);
    await this.sendWithKey('PATCH', `/api/v1/customers/${required.id}`, { mfa: 'required' });
    const challengeToken = await openChallenge(this.members, required.email);
    const path = '/api/v1/auth/challenge/enroll-totp';
    expectStatus(200, await this.members.requestWithPublishableKey('POST', path, { challengeToken }));
    return { totp: { email: owner.email, secret, recoveryCodes }, refreshToken };
  }

  /** Signs in with an email code, and leaves a code, a wrong guess, a used link and a reauthentication. */
  private async sendEmailCodes(): Promise<void> {
    const { members } = this;
    const { email } = await registerCustomer(members);
    const signedIn = await verifyEmailCode(members, await receiveEmailCode(members, email));
    const { accessToken } = expectStatus(200, signedIn).body.tokens;
    const unused = await receiveEmailCode(members, uniqueEmail());
    expectStatus(400, await verifyEmailCode(members, wrongCode(unused)));
    await receiveEmailLink(members, uniqueEmail(), redirectUrl);
    await useEmailLink(members, await receiveEmailLink(members, email, redirectUrl));
    await receiveReauthenticationCode(members, accessToken, email);
  }

  /** Moves a session from another system, opens a support session, and leaves a token for each. */
  private async createSignInTokens(): Promise<void> {
    const { id } = await registerCustomer(this.members);
    const [moved] = (
      await this.sendWithKey('POST', '/api/v1/customers/import', {
        customers: [{ email: uniqueEmail(), externalId: 'moved', emailVerified: true }],
      })
    )['results'] as { id: string }[];
    for (const [customerId, fields] of [
      [id, {}],
      [moved!.id, newMigration()],
    ] as const) {
      const path = `/api/v1/customers/${customerId}/sign-in-tokens`;
      const body = { reason: 'Ticket 4711', ...fields };
      const { token } = await this.sendWithKey('POST', path, body);
      const signedIn = this.members.requestWithPublishableKey('POST', '/api/v1/auth/sign-in-token', {
        token,
      });
      expectStatus(200, await signedIn);
      await this.sendWithKey('POST', path, body);
    }
  }

  /** Leaves a sign-in on the hosted page that waits for its second factor. */
  private async openHostedPage(): Promise<void> {
    const owner = await registerCustomer(this.members);
    const { id, secret } = await this.addTotp(owner);
    const code = totpCode(secret);
    await this.sendAs(owner, 'POST', `/api/v1/me/factors/totp/${id}/confirm`, { code });
    const page = new HostedSignIn(this.members, redirectUrl);
    await page.open();
    await page.submit('', { email: owner.email, password: PASSWORD });
  }

  private addTotp(customer: RegisteredCustomer): Promise<Record<string, any>> {
    return this.sendAs(customer, 'POST', '/api/v1/me/factors/totp', { password: PASSWORD });
  }

  private sendAs({ tokens }: RegisteredCustomer, method: string, path: string, body: object) {
    return send(this.members, tokens.accessToken, method, path, body);
  }

  private sendWithKey(method: string, path: string, body: object): Promise<Record<string, any>> {
    return send(this.members, this.members.credentials.secretKey, method, path, body);
  }
}
