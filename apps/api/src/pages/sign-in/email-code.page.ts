import { Body, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { EmailCodeSignInService } from '../../email-codes/email-code-sign-in.service.js';
import { EmailCodesService } from '../../email-codes/email-codes.service.js';
import { HostedSignInPage } from './hosted-page.js';
import { SignInRequestsService } from './sign-in-requests.service.js';
import { SignInScreensService } from './sign-in-screens.service.js';
import { SignInStepsService } from './sign-in-steps.service.js';

/** The forms of the hosted sign-in page for codes in emails. */
@HostedSignInPage('sign-in/email-code')
export class EmailCodePage {
  constructor(
    private readonly requests: SignInRequestsService,
    private readonly screens: SignInScreensService,
    private readonly steps: SignInStepsService,
    private readonly codes: EmailCodesService,
    private readonly signIns: EmailCodeSignInService,
  ) {}

  /**
   * Sends a code, and leads to the screen that asks for it. The token in its URL is useless without the code: everyone can
   * request one for every address.
   */
  @Post()
  async send(@Query() query: unknown, @Body() form: unknown, @Res() response: Response): Promise<void> {
    const page = await this.requests.open('email-code', query, form, response);
    const email = await this.steps.readEmail(page, 'sign_in');
    if (email === null) return;
    try {
      const { token } = await this.codes.send(page.project, { email });
      this.steps.redirect(page, 'email_code', { login_hint: email, token });
    } catch (error) {
      await this.screens.showError(page, 'sign_in', { email }, error);
    }
  }

  @Post('verify')
  async verify(@Query() query: unknown, @Body() form: unknown, @Res() response: Response): Promise<void> {
    const page = await this.requests.open('email-code-verify', query, form, response);
    const { token, locale } = page.query;
    const request = { token, code: page.form['code'] ?? '', ...(locale === null ? {} : { locale }) };
    await this.steps.run(page, () => this.signIns.signIn(page.project, request, page.client), 'email_code');
  }
}
