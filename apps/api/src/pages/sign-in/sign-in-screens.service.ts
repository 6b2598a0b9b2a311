import { Inject, Injectable } from '@nestjs/common';
import {
  GatehouseError,
  isAllowedOrigin,
  parseValidUrl,
  type IdentityProvider,
  type PasswordWeakness,
} from '@gatehouse/domain';
import { Config, LOGGER, MAX_TOTP_URI, type Logger } from '@gatehouse/platform';
import { describeSecret } from '../../factors/factor-changes.service.js';
import { findProfileWithoutEmail } from '../../email-codes/email-codes.service.js';
import { reportError } from '../../http/problems/problem.filter.js';
import type { GatehouseRequest } from '../../http/request-context.js';
import { IdentityProtocolsService } from '../../identity-providers/protocols/identity-protocols.service.js';
import { PasskeyCeremoniesService } from '../../passkeys/passkey-ceremonies.service.js';
import type { SignInOptionsResponse } from '../../sign-in/dto/sign-in-options.response.js';
import { SignInOptionsService } from '../../sign-in/sign-in-options.service.js';
import { projectBrand, textsFor } from '../link-page.js';
import { sendPage } from '../page.js';
import {
  renderEnrollment,
  renderRecoveryCodes,
  renderSecondFactor,
  type ChallengeContext,
  type ScreenChallenge,
} from './challenge-screens.js';
import type { SignInScreen } from './sign-in-query.js';
import type { SignInPageRequest } from './sign-in-requests.service.js';
import {
  renderScreen,
  type OfferedOptions,
  type ProblemField,
  type ScreenContent,
} from './sign-in-screens.js';
import { signInTexts } from './sign-in-texts.js';
import type { SignInTexts } from './sign-in-texts-english.js';
import { formatWait } from './format-wait.js';

/** Screen state that the URL does not contain. */
export interface ScreenState {
  /** Email address that the customer has entered. */
  email?: string | null;
  /** Code of a problem that is not an API error. */
  problem?: string;
}

const problemFields: Partial<Record<string, ProblemField>> = {
  email_invalid: 'email',
  email_already_registered: 'email',
  password_missing: 'password',
  invalid_credentials: 'password',
  weak_password: 'password',
  invalid_code: 'code',
};

/** Sends the screens of the hosted sign-in page. */
@Injectable()
export class SignInScreensService {
  constructor(
    private readonly options: SignInOptionsService,
    private readonly passkeys: PasskeyCeremoniesService,
    private readonly protocols: IdentityProtocolsService,
    private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Returns true if a provider can prove a sign-in that is as recent as the application requires (sign-in contract,
   * section 6).
   */
  canProveRecency(
    { query }: Pick<SignInPageRequest, 'query'>,
    provider: Pick<IdentityProvider, 'type' | 'sendsAuthTime'>,
  ): boolean {
    return query.maxAge === null || this.protocols.canReauthenticate(provider);
  }

  /** Sends a screen. */
  async show(page: SignInPageRequest, screen: SignInScreen, state: ScreenState = {}): Promise<void> {
    const context = await this.context(page, state);
    const problem = state.problem ? this.describe(context, state.problem) : null;
    this.send(page, state.problem ? 400 : 200, renderScreen(screen, context), problem);
  }

  /**
   * Sends a screen again with the error in its form.
   * @throws the error if a form cannot cause it
   */
  async showError(
    page: SignInPageRequest,
    screen: SignInScreen,
    state: ScreenState,
    error: unknown,
  ): Promise<void> {
    const context = await this.context(page, state, error);
    const { status, problem } = this.report(page, context, error);
    this.send(page, status, renderScreen(screen, context), problem);
  }

  /**
   * Sends the screen for a challenge.
   * @param error the error in the form of the screen. Default: none
   */
  async showChallenge(page: SignInPageRequest, challenge: ScreenChallenge, error?: unknown): Promise<void> {
    const context: ChallengeContext = {
      ...(await this.context(page, {}, error)),
      hasPasskeys: this.hasPasskeys(page),
    };
    const { status, problem } =
      error === undefined ? { status: 200, problem: null } : this.report(page, context, error);
    const content =
      challenge.kind === 'enroll_factor'
        ? renderEnrollment(context, challenge, describeUri(challenge.uri))
        : renderSecondFactor(context, challenge);
    this.send(page, status, content, problem);
  }

  /**
   * Sends the screen that shows new recovery codes.
   * @param flow the flow with which the page continues afterwards
   */
  async showRecoveryCodes(page: SignInPageRequest, codes: string[], flow: string): Promise<void> {
    this.send(page, 200, renderRecoveryCodes(await this.context(page, {}), codes, flow), null);
  }

  /**
   * Returns the options that the project offers on this page. Passkeys are included only if the origin may use the
   * project's passkeys, and providers only if they can prove a sign-in as recent as the application requires.
   */
  private async offered(page: SignInPageRequest): Promise<OfferedOptions> {
    const enabled = await this.options.listProviders(page.project);
    const providers = enabled.filter((each) => this.canProveRecency(page, each));
    const options = await this.options.get(page.project, providers);
    const omittedProviders = enabled.filter((each) => !providers.includes(each)).map(({ name }) => name);
    return { ...options, passkey: options.passkey && this.hasPasskeys(page), omittedProviders };
  }

  private hasPasskeys({ project }: SignInPageRequest): boolean {
    const relyingParty = this.passkeys.findRelyingParty(project);
    return (
      relyingParty !== null && isAllowedOrigin(relyingParty, parseValidUrl(this.config.publicUrl).origin)
    );
  }

  private async context(page: SignInPageRequest, { email, problem }: ScreenState, error?: unknown) {
    const code = problem ?? (error instanceof GatehouseError ? error.code : '');
    const members = error instanceof GatehouseError ? error.details.members : undefined;
    const provider = members?.['provider'];
    const offered = await this.offered(page);
    // An account with a provider that has not shared an email address requires an email code, even if the project does
    // not offer codes.
    const account = findProfileWithoutEmail(page.client);
    const options = account ? { ...offered, emailCode: true } : offered;
    return {
      page,
      texts: signInTexts(textsFor(page.response)),
      options,
      isEmailRequired: account !== null || code === 'email_required',
      email: email ?? page.query.loginHint,
      problemField: problemFields[code] ?? null,
      requiredProvider: typeof provider === 'string' ? provider : null,
    };
  }

  /** Returns the message for a problem. */
  private describe({ texts, options }: { texts: SignInTexts; options: SignInOptionsResponse }, code: string) {
    if (code === 'email_required') return options.emailCode ? texts.emailRequired : texts.emailRequiredOnly;
    return texts.problems[code] ?? null;
  }

  /**
   * Logs an error, and returns its status and message.
   * @throws the error if a form cannot cause it
   */
  private report(
    page: SignInPageRequest,
    context: { texts: SignInTexts; options: SignInOptionsResponse },
    error: unknown,
  ): { status: number; problem: string } {
    if (!(error instanceof GatehouseError)) throw error;
    const problem = this.describeError(page, context, error);
    if (problem === null) throw error;
    reportError(this.logger, error, page.response.req as GatehouseRequest);
    page.response.set(error.details.headers ?? {});
    return { status: error.status, problem };
  }

  private describeError(
    { project, response }: SignInPageRequest,
    context: { texts: SignInTexts; options: SignInOptionsResponse },
    { code, details }: GatehouseError,
  ): string | null {
    const { texts } = context;
    if (code === 'too_many_attempts')
      return texts.tooManyAttempts(formatWait(texts, Number(details.headers?.['Retry-After'] ?? 60)));
    if (code === 'weak_password') {
      const { weakness } = textsFor(response).password;
      const minLength = project.settings.passwordMinLength;
      return details.errors!.map((each) => weakness(each.code as PasswordWeakness, minLength)).join(' ');
    }
    if (code === 'sso_required') return texts.ssoRequired;
    return this.describe(context, code);
  }

  private send(
    { project, query, response }: SignInPageRequest,
    status: number,
    content: ScreenContent,
    problem: string | null,
  ): void {
    const { language } = textsFor(response);
    sendPage(response, status, {
      ...content,
      language,
      problem,
      redirectUrl: query.redirectUrl,
      brand: projectBrand(project),
    });
  }
}

/** Returns the secret and the QR code for a URI that a form has submitted. */
function describeUri(uri: string): { secret: string; qrCode: string } {
  const secret = /^otpauth:\/\/totp\/[^?]*\?(?:.*&)?secret=([A-Z2-7]+)/.exec(uri)?.[1];
  if (!secret || uri.length > MAX_TOTP_URI) throw new GatehouseError('challenge_expired');
  return describeSecret({ secret, uri });
}
