import { Body, Get, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { VerificationService } from '../../email/verification.service.js';
import { PasswordResetService } from '../../passwords/password-reset.service.js';
import { LoginService } from '../../sign-in/login.service.js';
import { RegistrationService } from '../../sign-in/registration.service.js';
import { PAGE_SCRIPT_PATH, pageScript } from '../page-script.js';
import { HostedSignInPage } from './hosted-page.js';
import { SignInRequestsService } from './sign-in-requests.service.js';
import { SignInScreensService } from './sign-in-screens.service.js';
import { SignInStepsService } from './sign-in-steps.service.js';

/** The hosted sign-in page, with the forms for passwords (ADR 0048). */
@HostedSignInPage('sign-in')
export class SignInPage {
  constructor(
    private readonly requests: SignInRequestsService,
    private readonly screens: SignInScreensService,
    private readonly steps: SignInStepsService,
    private readonly logins: LoginService,
    private readonly registrations: RegistrationService,
    private readonly resets: PasswordResetService,
    private readonly verifications: VerificationService,
  ) {}

  /** Shows a screen, or continues the flow after a redirect from a provider. */
  @Get()
  async show(@Query() query: unknown, @Res() response: Response): Promise<void> {
    const page = await this.requests.open('sign-in-page', query, {}, response);
    const { screen, flow, providerError } = page.query;
    const isContinued = flow !== null && screen !== 'email_code' && response.req.method !== 'HEAD';
    if (isContinued) return this.steps.continue(page);
    await this.screens.show(page, screen, providerError ? { problem: providerError } : {});
  }

  @Get(PAGE_SCRIPT_PATH.replace('/sign-in/', ''))
  script(@Res() response: Response): void {
    response.set('Cache-Control', 'public, max-age=3600').type('text/javascript').send(pageScript);
  }

  @Post()
  async signIn(@Query() query: unknown, @Body() form: unknown, @Res() response: Response): Promise<void> {
    const page = await this.requests.open('login', query, form, response);
    const credentials = await this.steps.readCredentials(page, 'sign_in');
    if (!credentials) return;
    const { project, client } = page;
    await this.steps.run(page, () => this.logins.login(project, credentials, client), 'sign_in', credentials);
  }

  @Post('sign-up')
  async signUp(@Query() query: unknown, @Body() form: unknown, @Res() response: Response): Promise<void> {
    const page = await this.requests.open('register', query, form, response);
    const credentials = await this.steps.readCredentials(page, 'sign_up');
    if (!credentials) return;
    const { project, client } = page;
    const { redirectUrl, locale } = page.query;
    const input = { ...credentials, redirectUrl, ...(locale === null ? {} : { locale }) };
    const register = () =>
      this.registrations.register({ kind: 'publishable-key' as const, project }, input, client);
    await this.steps.run(page, register, 'sign_up', { email: credentials.email });
  }

  @Post('forgot-password')
  async forgotPassword(
    @Query() query: unknown,
    @Body() form: unknown,
    @Res() response: Response,
  ): Promise<void> {
    const page = await this.requests.open('forgot', query, form, response);
    const email = await this.steps.readEmail(page, 'forgot_password');
    if (email === null) return;
    try {
      await this.resets.requestReset(page.project, email, page.query.redirectUrl);
    } catch (error) {
      return this.screens.showError(page, 'sign_in', { email }, error);
    }
    this.steps.redirect(page, 'reset_sent', { login_hint: email });
  }

  @Post('verification')
  async resendVerification(
    @Query() query: unknown,
    @Body() form: unknown,
    @Res() response: Response,
  ): Promise<void> {
    const page = await this.requests.open('resend', query, form, response);
    const email = await this.steps.readEmail(page, 'sign_in');
    if (email === null) return;
    await this.verifications.resend(page.project, email, page.query.redirectUrl);
    this.steps.redirect(page, 'check_inbox', { login_hint: email });
  }

  /** Continues after the recovery codes have been shown. */
  @Post('continue')
  async continue(@Query() query: unknown, @Body() form: unknown, @Res() response: Response): Promise<void> {
    const page = await this.requests.open('exchange', query, form, response);
    await this.steps.continue(page);
  }
}
