import { Body, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { PasskeySignInService } from '../../sign-in/passkey-sign-in.service.js';
import { HostedSignInPage } from './hosted-page.js';
import { readAssertion } from './passkey-responses.js';
import { SignInRequestsService } from './sign-in-requests.service.js';
import { SignInStepsService } from './sign-in-steps.service.js';

/** The passkey button on the hosted sign-in page. */
@HostedSignInPage('sign-in/passkey')
export class PasskeyPage {
  constructor(
    private readonly requests: SignInRequestsService,
    private readonly steps: SignInStepsService,
    private readonly passkeys: PasskeySignInService,
  ) {}

  @Post('options')
  async options(@Query() query: unknown, @Body() form: unknown, @Res() response: Response): Promise<void> {
    const page = await this.requests.open('passkey-options', query, form, response);
    response.json({ options: await this.passkeys.begin(page.project, page.client) });
  }

  @Post()
  async signIn(@Query() query: unknown, @Body() form: unknown, @Res() response: Response): Promise<void> {
    const page = await this.requests.open('passkey', query, form, response);
    const signIn = async () => this.passkeys.complete(page.project, readAssertion(page.form), page.client);
    await this.steps.run(page, signIn, 'sign_in');
  }
}
