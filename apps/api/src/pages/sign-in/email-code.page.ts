import { Body, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { EmailCodeSignInService } from '../../email-codes/email-code-sign-in.service.js';
import { EmailCodesService, findProfileWithoutEmail } from '../../email-codes/email-codes.service.js';
import { HostedSignInPage } from './hosted-page.js';
import { isFromBrowser } from './browser-cookie.js';
import { SignInRequestsService, type SignInPageRequest } from './sign-in-requests.service.js';
import { SignInScreensService } from './sign-in-screens.service.js';
import { SignInStepsService } from './sign-in-steps.service.js';

/** The forms for email codes on the hosted sign-in page. */
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
   * Sends a code, and redirects to the screen on which it is entered. Anyone can request a code for any address, but
   * the token and the flow in the URL of the screen are useless without the code.
   */
  @Post()
  async send(@Query() query: unknown, @Body() form: unknown, @Res() response: Response): Promise<void> {
    const page = await this.requests.open('email-code', query, form, response);
    if (!isContinued(page)) return this.steps.showFlowEnded(page);
    const email = await this.steps.readEmail(page, 'sign_in');
    if (email === null) return;
    try {
      const { token, flow = page.query.flow! } = await this.codes.send(page.project, { email }, page.client);
      this.steps.redirect(page, 'email_code', { login_hint: email, token, flow });
    } catch (error) {
      await this.screens.showError(page, 'sign_in', { email }, error);
    }
  }

  @Post('verify')
  async verify(@Query() query: unknown, @Body() form: unknown, @Res() response: Response): Promise<void> {
    const page = await this.requests.open('email-code-verify', query, form, response);
    if (!isContinued(page)) return this.steps.showFlowEnded(page);
    const { token, locale } = page.query;
    const request = { token, code: page.form['code'] ?? '', ...(locale === null ? {} : { locale }) };
    await this.steps.run(page, () => this.signIns.signIn(page.project, request, page.client), 'email_code');
  }
}

/**
 * Returns true if the page has no flow, or one that it can continue. A code proves ownership of an address, and
 * links the pending account with the provider to the customer who has this address. Only the browser that returned
 * from the provider may therefore continue: otherwise, an attacker could send a victim the page with the attacker's
 * account.
 */
function isContinued({ query, client, response }: SignInPageRequest): boolean {
  const { flow } = client.page;
  if (query.flow !== null && !flow) return false;
  return !findProfileWithoutEmail(client) || isFromBrowser(response.req, flow!.browserHash);
}
