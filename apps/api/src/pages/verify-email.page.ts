import { Body, Get, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { OneTimeToken } from '@gatehouse/persistence';
import { RateLimit } from '../http/rate-limit.js';
import { VerificationService } from '../email/verification.service.js';
import {
  projectBrand,
  readToken,
  sendDone,
  sendExpired,
  sendInvalid,
  resolveSubmission,
  textsFor,
  withinLimit,
  type PageForm,
} from './one-time-page.js';
import { describeCreation, disownLink } from './disown.page.js';
import { HostedPage } from './hosted-page.js';
import { postButton, sendPage } from './page.js';

const PATH = '/verify-email';

/** The page for verification links. Opening it changes nothing, because email scanners open links (EV-03). */
@HostedPage('verify-email')
export class VerifyEmailPage {
  constructor(private readonly verification: VerificationService) {}

  @Get()
  @RateLimit('verify')
  async show(@Query('token') query: unknown, @Res() response: Response): Promise<void> {
    const token = readToken(query);
    const oneTimeToken = await withinLimit(response, await this.verification.find(token));
    if (oneTimeToken?.state !== 'live') return sendEnded(response, oneTimeToken, token);
    const { language, verifyEmail } = textsFor(response, oneTimeToken);
    sendPage(response, 200, {
      language,
      title: verifyEmail.title,
      text: verifyEmail.text(oneTimeToken.email),
      hint: describeCreation(response, oneTimeToken),
      button: postButton(PATH, verifyEmail.button, { token }) + disownLink(response, oneTimeToken, token),
      brand: projectBrand(oneTimeToken.project),
    });
  }

  @Post()
  @RateLimit('verify')
  async confirm(@Body() form: PageForm | undefined, @Res() response: Response): Promise<void> {
    const link = await resolveSubmission({
      form,
      response,
      links: this.verification,
      isUsable: ({ state }) => state === 'live',
      sendEnded,
    });
    if (!link) return;
    const { token, oneTimeToken } = link;
    await this.verification.verify(token);
    const { verifyEmail } = textsFor(response, oneTimeToken);
    sendDone(
      response,
      oneTimeToken,
      verifyEmail.done,
      verifyEmail.doneText(oneTimeToken.email),
      disownLink(response, oneTimeToken, token),
    );
  }
}

function sendEnded(response: Response, oneTimeToken: OneTimeToken | null, token: string): void {
  // The address may have been confirmed by another link, such as a password reset. It must still be the
  // customer's.
  const isConfirmed =
    oneTimeToken?.customer.emailVerified && oneTimeToken.customer.email === oneTimeToken.email;
  if (oneTimeToken && isConfirmed) {
    const { alreadyConfirmed, verifyEmail } = textsFor(response, oneTimeToken);
    return sendDone(
      response,
      oneTimeToken,
      alreadyConfirmed,
      verifyEmail.alreadyDoneText(oneTimeToken.email),
      disownLink(response, oneTimeToken, token),
    );
  }
  if (!oneTimeToken || oneTimeToken.state === 'voided') return sendInvalid(response, oneTimeToken);
  sendExpired(response, PATH, token, oneTimeToken);
}
