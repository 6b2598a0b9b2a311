import { Body, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { flowHashOf } from '../../http/request-context.js';
import { ChallengesService } from '../../sign-in/challenges.service.js';
import { readChallenge } from './challenge-screens.js';
import { HostedSignInPage } from './hosted-page.js';
import { readAssertion, readRegistration } from './passkey-responses.js';
import { SignInRequestsService } from './sign-in-requests.service.js';
import { SignInStepsService } from './sign-in-steps.service.js';

/** The forms for second factors on the hosted sign-in page. */
@HostedSignInPage('sign-in/challenge')
export class ChallengePage {
  constructor(
    private readonly requests: SignInRequestsService,
    private readonly steps: SignInStepsService,
    private readonly challenges: ChallengesService,
  ) {}

  /** Completes a challenge with an authenticator code or a recovery code. */
  @Post()
  async complete(@Query() query: unknown, @Body() form: unknown, @Res() response: Response): Promise<void> {
    const page = await this.requests.open('challenge', query, form, response);
    const challenge = readChallenge(page);
    const { method, code = '', recovery = '' } = page.form;
    const [kind, entered] =
      method === 'recovery_code' ? (['recovery_code', recovery] as const) : (['totp', code] as const);
    const { project, client } = page;
    await this.steps.runChallenge(page, challenge, () =>
      this.challenges.complete(project, challenge.token, kind, entered.trim(), client),
    );
  }

  @Post('passkey/options')
  async passkeyOptions(
    @Query() query: unknown,
    @Body() form: unknown,
    @Res() response: Response,
  ): Promise<void> {
    const page = await this.requests.open('passkey-options', query, form, response);
    const { token } = readChallenge(page);
    response.json({
      options: await this.challenges.beginPasskey(page.project, token, flowHashOf(page.client)),
    });
  }

  @Post('passkey')
  async completeWithPasskey(
    @Query() query: unknown,
    @Body() form: unknown,
    @Res() response: Response,
  ): Promise<void> {
    const page = await this.requests.open('challenge', query, form, response);
    const challenge = readChallenge(page);
    const { project, client } = page;
    await this.steps.runChallenge(page, challenge, async () =>
      this.challenges.completeWithPasskey(project, challenge.token, readAssertion(page.form), client),
    );
  }

  @Post('enroll-passkey/options')
  async enrollmentOptions(
    @Query() query: unknown,
    @Body() form: unknown,
    @Res() response: Response,
  ): Promise<void> {
    const page = await this.requests.open('passkey-options', query, form, response);
    const { token } = readChallenge(page);
    const flowHash = flowHashOf(page.client);
    const options = await this.challenges.beginPasskeyEnrollment(page.project, token, flowHash);
    response.json({ options });
  }

  @Post('enroll-passkey')
  async enrollPasskey(
    @Query() query: unknown,
    @Body() form: unknown,
    @Res() response: Response,
  ): Promise<void> {
    const page = await this.requests.open('challenge', query, form, response);
    const challenge = readChallenge(page);
    const { project, client } = page;
    await this.steps.runChallenge(page, challenge, async () =>
      this.challenges.enrollPasskey(project, challenge.token, readRegistration(page.form), client),
    );
  }
}
