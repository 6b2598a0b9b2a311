import { Injectable } from '@nestjs/common';
import { canonicalEmail, GatehouseError } from '@gatehouse/domain';
import { sha256 } from '@gatehouse/platform';
import { ChallengesService } from '../../sign-in/challenges.service.js';
import { SignInExchangeService } from '../../sign-in-exchanges/sign-in-exchange.service.js';
import type { SignInOutcome } from '../../sign-in/sign-in.service.js';
import type { ScreenChallenge } from './challenge-screens.js';
import type { SignInScreen } from './sign-in-query.js';
import { signInPath, type SignInPageRequest } from './sign-in-requests.service.js';
import { SignInScreensService, type ScreenState } from './sign-in-screens.service.js';

/** Outcome of a step. Only an enrollment returns recovery codes. */
type StepOutcome = SignInOutcome & { recoveryCodes?: string[] | null };

/** A step of a sign-in. Returns null if the response must not reveal the outcome. */
type Step = () => Promise<StepOutcome | null>;

/** Runs sign-in steps on the hosted page, with the same services and rules as the API. */
@Injectable()
export class SignInStepsService {
  constructor(
    private readonly screens: SignInScreensService,
    private readonly challenges: ChallengesService,
    private readonly exchanges: SignInExchangeService,
  ) {}

  /**
   * Runs a step, and sends what follows: the redirect to the application, a challenge, or a request to confirm the
   * email address. Sends the screen again if the step fails.
   */
  async run(
    page: SignInPageRequest,
    step: Step,
    screen: SignInScreen,
    state: ScreenState = {},
  ): Promise<void> {
    let outcome: StepOutcome | null;
    try {
      outcome = await step();
    } catch (error) {
      return this.screens.showError(page, isUnverified(error) ? 'check_inbox' : screen, state, error);
    }
    await this.finish(page, outcome, state);
  }

  /** Runs a step of a challenge. If it fails, sends its screen again unless the challenge has ended. */
  async runChallenge(page: SignInPageRequest, challenge: ScreenChallenge, step: Step): Promise<void> {
    let outcome: StepOutcome | null;
    try {
      outcome = await step();
    } catch (error) {
      if (isRetryable(error)) return this.screens.showChallenge(page, challenge, error);
      return this.screens.showError(page, 'sign_in', {}, error);
    }
    await this.finish(page, outcome, {});
  }

  /** Continues the page's flow, after the provider redirects back or the recovery codes have been shown. */
  async continue(page: SignInPageRequest): Promise<void> {
    let outcome: StepOutcome;
    try {
      outcome = await this.exchanges.continue(page.project, page.client);
    } catch (error) {
      const hasEnded = error instanceof GatehouseError && error.code === 'invalid_code';
      if (hasEnded) return this.showFlowEnded(page);
      const email = page.client.page.flow?.profile?.email ?? null;
      return this.screens.showError(page, isUnverified(error) ? 'check_inbox' : 'sign_in', { email }, error);
    }
    await this.finish(page, outcome, {});
  }

  /** Sends the first screen, because the page's flow has ended. */
  async showFlowEnded(page: SignInPageRequest): Promise<void> {
    await this.screens.show(page, 'sign_in', { problem: 'invalid_return' });
  }

  /** Returns the email address in a form. If it is invalid, sends the screen again and returns null. */
  async readEmail(page: SignInPageRequest, screen: SignInScreen): Promise<string | null> {
    const entered = page.form['email'] ?? '';
    const email = canonicalEmail(entered);
    if (email === null) await this.screens.show(page, screen, { email: entered, problem: 'email_invalid' });
    return email;
  }

  /**
   * Returns the email address and the password in a form. If one is missing, sends the screen again and returns null.
   */
  async readCredentials(
    page: SignInPageRequest,
    screen: SignInScreen,
  ): Promise<{ email: string; password: string } | null> {
    const email = await this.readEmail(page, screen);
    const password = page.form['password'] ?? '';
    if (email !== null && password === '')
      await this.screens.show(page, screen, { email, problem: 'password_missing' });
    return email === null || password === '' ? null : { email, password };
  }

  /** Redirects to a screen with GET, so that the browser can reload it. */
  redirect(page: SignInPageRequest, screen: SignInScreen, more: Record<string, string>): void {
    page.response.redirect(303, signInPath(page, '', { screen, ...more }));
  }

  private async finish(
    page: SignInPageRequest,
    outcome: StepOutcome | null,
    { email }: ScreenState,
  ): Promise<void> {
    const { redirectUrl, recoveryCodes, challenge, flow = '' } = outcome ?? {};
    if (redirectUrl) return page.response.redirect(303, redirectUrl);
    if (recoveryCodes) return this.screens.showRecoveryCodes(page, recoveryCodes, flow);
    if (challenge) return this.showChallenge(page, { ...challenge, flow, uri: '' });
    const address = email ?? outcome?.customer?.email;
    this.redirect(page, 'check_inbox', address ? { login_hint: address } : {});
  }

  /** Sends the screen for a new challenge. An enrollment includes a new authenticator. */
  private async showChallenge(page: SignInPageRequest, challenge: ScreenChallenge): Promise<void> {
    if (challenge.kind === 'second_factor') return this.screens.showChallenge(page, challenge);
    const { token, flow } = challenge;
    const { uri } = await this.challenges.enrollTotp(page.project, token, sha256(flow));
    await this.screens.showChallenge(page, { ...challenge, uri });
  }
}

/** Returns true if the customer must verify their email address first. */
const isUnverified = (error: unknown): boolean =>
  error instanceof GatehouseError && error.code === 'email_not_verified';

/** Returns true if the challenge stays open after the error. */
const isRetryable = (error: unknown): boolean =>
  error instanceof GatehouseError &&
  ['invalid_code', 'passkey_not_accepted', 'too_many_attempts'].includes(error.code);
