import { Body, Controller, Get, Headers, Post, Query, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { NoCredential } from '@gatehouse/auth';
import type { OneTimeToken } from '@gatehouse/persistence';
import { RateLimit } from '../http/rate-limit.js';
import { EmailChangeService } from '../email/email-change.service.js';
import {
  projectBrand,
  readToken,
  sendDone,
  sendInvalid,
  resolveSubmission,
  type PageForm,
} from './one-time-page.js';
import { PageFilter } from './page.filter.js';
import { postButton, sendPage } from './page.js';

/** The page for the links that are sent to both addresses when a customer requests an email change. */
@ApiExcludeController()
@NoCredential()
@UseFilters(PageFilter)
@Controller('confirm-email-change')
export class ConfirmEmailChangePage {
  constructor(private readonly changes: EmailChangeService) {}

  @Get()
  @RateLimit('verify')
  async show(@Query('token') query: unknown, @Res() response: Response): Promise<void> {
    const token = readToken(query);
    const oneTimeToken = await this.changes.find(token);
    if (oneTimeToken?.state !== 'live') return sendEnded(response, oneTimeToken);
    const newEmail = await this.changes.getNewEmail(oneTimeToken);
    sendPage(response, 200, {
      title: 'Change your email address',
      text: `Change your email address from ${oneTimeToken.customer.email} to ${newEmail}?`,
      button: postButton('/confirm-email-change', 'Confirm the change', { token }),
      brand: projectBrand(oneTimeToken.project),
    });
  }

  @Post()
  @RateLimit('verify')
  async confirm(
    @Body() form: PageForm | undefined,
    @Headers('sec-fetch-site') site: string | undefined,
    @Res() response: Response,
  ): Promise<void> {
    const link = await resolveSubmission({ form, fetchSite: site, response, links: this.changes, sendEnded });
    if (!link) return;
    const { token, oneTimeToken } = link;
    if ((await this.changes.confirm(token)) === 'changed') {
      const newEmail = await this.changes.getNewEmail(oneTimeToken);
      return sendDone(
        response,
        oneTimeToken,
        'Your email address has been changed',
        `${newEmail} is now your email address.`,
      );
    }
    sendDone(
      response,
      oneTimeToken,
      'One more step',
      'Open the link in the email that was sent to your other address. The change takes effect when both addresses are confirmed.',
    );
  }
}

function sendEnded(response: Response, oneTimeToken: OneTimeToken | null): void {
  if (!oneTimeToken || oneTimeToken.state === 'voided') return sendInvalid(response, oneTimeToken);
  if (oneTimeToken.state === 'consumed') {
    return sendDone(response, oneTimeToken, 'Already confirmed', 'This link has already been used.');
  }
  sendPage(response, 400, {
    title: 'This link has expired',
    text: 'Request the email address change again.',
    brand: projectBrand(oneTimeToken.project),
  });
}
