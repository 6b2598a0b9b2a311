import { Body, Get, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { OneTimeToken } from '@gatehouse/persistence';
import { RateLimit } from '../http/rate-limit.js';
import { EmailChangeService } from '../email/email-change.service.js';
import {
  projectBrand,
  readToken,
  sendDone,
  sendInvalid,
  resolveSubmission,
  textsFor,
  withinLimit,
  type PageForm,
} from './one-time-page.js';
import { describeCreation, disownLink } from './disown.page.js';
import { HostedPage } from './hosted-page.js';
import { postButton, sendPage } from './page.js';

/** The page for the links that are sent to both addresses when a customer requests an email change. */
@HostedPage('confirm-email-change')
export class ConfirmEmailChangePage {
  constructor(private readonly changes: EmailChangeService) {}

  @Get()
  @RateLimit('verify')
  async show(@Query('token') query: unknown, @Res() response: Response): Promise<void> {
    const token = readToken(query);
    const oneTimeToken = await withinLimit(response, await this.changes.find(token));
    if (oneTimeToken?.state !== 'live') return sendEnded(response, oneTimeToken, token);
    const newEmail = await this.changes.getNewEmail(oneTimeToken);
    const { language, changeEmail } = textsFor(response, oneTimeToken);
    sendPage(response, 200, {
      language,
      title: changeEmail.title,
      text: changeEmail.text(oneTimeToken.customer.email, newEmail),
      hint: oneTimeToken.kind === 'change-email-new' ? describeCreation(response, oneTimeToken) : '',
      button: postButton('/confirm-email-change', changeEmail.button, { token }),
      brand: projectBrand(oneTimeToken.project),
    });
  }

  @Post()
  @RateLimit('verify')
  async confirm(@Body() form: PageForm | undefined, @Res() response: Response): Promise<void> {
    const link = await resolveSubmission({ form, response, links: this.changes, sendEnded });
    if (!link) return;
    const { token, oneTimeToken } = link;
    const { changeEmail } = textsFor(response, oneTimeToken);
    if ((await this.changes.submit(token)) === 'changed') {
      const newEmail = await this.changes.getNewEmail(oneTimeToken);
      const changed = (await this.changes.find(token)) ?? oneTimeToken;
      const disown = disownLink(response, changed, token);
      return sendDone(response, oneTimeToken, changeEmail.done, changeEmail.doneText(newEmail), disown);
    }
    sendDone(response, oneTimeToken, changeEmail.oneMoreStep, changeEmail.oneMoreStepText);
  }
}

function sendEnded(response: Response, oneTimeToken: OneTimeToken | null, token: string): void {
  if (!oneTimeToken || oneTimeToken.state === 'voided') return sendInvalid(response, oneTimeToken);
  const { language, alreadyConfirmed, alreadyUsed, expiredLink, changeEmail } = textsFor(
    response,
    oneTimeToken,
  );
  if (oneTimeToken.state === 'consumed') {
    const disown = disownLink(response, oneTimeToken, token);
    return sendDone(response, oneTimeToken, alreadyConfirmed, alreadyUsed, disown);
  }
  sendPage(response, 400, {
    language,
    title: expiredLink.title,
    text: changeEmail.expiredText,
    brand: projectBrand(oneTimeToken.project),
  });
}
