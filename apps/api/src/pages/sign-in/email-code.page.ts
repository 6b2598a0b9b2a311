import { Body, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { EmailCodeSignInService } from '../../email-codes/email-code-sign-in.service.js';
import { EmailCodesService, findPerson } from '../../email-codes/email-codes.service.js';
import { HostedSignInPage } from './hosted-page.js';
import { isFromBrowser } from './browser-cookie.js';
import { SignInRequestsService, type SignInPageRequest } from './sign-in-requests.service.js';
import { SignInScreensService } from './sign-in-screens.service.js';
import { SignInStepsService } from './sign-in-steps.service.js';

/** The hosted sign-in page's forms for email codes. */
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
   * Sends a code, and redirects to the screen that requires it. The token and the flow in the screen's URL are
   * useless without the code: anyone can request a code for any address.
   */
  @Post()
  async send(@Query() query: unknown, @Body() form: unknown, @Res() response: Response): Promise<void> {
    const page = await this.requests.open('email-code', query, form, response);
    if (!isContinued(page)) return this.steps.showEnded(page);
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
    if (!isContinued(page)) return this.steps.showEnded(page);
    const { token, locale } = page.query;
    const request = { token, code: page.form['code'] ?? '', ...(locale === null ? {} : { locale }) };
    await this.steps.run(page, () => this.signIns.signIn(page.project, request, page.client), 'email_code');
  }
}

/**
 * Returns true if the page has no flow, or a flow that it can continue. A person at a provider who proves an address
 * is linked to its customer, so that only the browser that returned from the provider may continue: otherwise an
 * attacker would send the page with their own person to a victim.
 */
function isContinued({ query, client, response }: SignInPageRequest): boolean {
  const { flow } = client.page;
  if (query.flow !== null && !flow) return false;
  return !findPerson(client) || isFromBrowser(response.req, flow!.browserHash);
}
