import { Body, Controller, Get, Headers, Post, Query, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { NoCredential } from '#auth';
import { GatehouseError } from '#domain';
import { RateLimit } from '../http/rate-limit.js';
import { VerificationService } from '../identity/verification.service.js';
import { linkButton, postButton, sendPage } from './page.js';

const unknown = {
  title: 'This link does not work',
  text: 'It has expired, was replaced by a newer one, or is not complete. Ask for a new verification e-mail and use its link.',
};

/** The page behind the verification link. Mail scanners open links, so looking at it changes nothing. */
@ApiExcludeController()
@NoCredential()
@Controller('verify-email')
export class VerifyEmailPage {
  constructor(private readonly verification: VerificationService) {}

  @Get()
  @RateLimit('verify')
  async show(@Query('token') token: unknown, @Res() response: Response): Promise<void> {
    const found = typeof token === 'string' ? await this.verification.peek(token) : null;
    if (!found) return sendPage(response, 400, unknown);
    if (found.consumedAt) return sendDone(response, found.email, found.redirectUrl, false);
    sendPage(response, 200, {
      title: found.projectName,
      text: `Confirm that ${found.email} is your e-mail address.`,
      button: postButton('/verify-email', 'Confirm e-mail address', { token: token as string }),
    });
  }

  @Post()
  @RateLimit('verify')
  async confirm(
    @Body() form: Record<string, string> | undefined,
    @Headers('sec-fetch-site') site: string | undefined,
    @Res() response: Response,
  ): Promise<void> {
    if (site !== undefined && site !== 'same-origin') throw new GatehouseError('origin_not_allowed');
    try {
      const { customer, isNew, redirectUrl } = await this.verification.verify(form?.['token'] ?? '');
      sendDone(response, customer.email, redirectUrl, isNew);
    } catch (error) {
      if (!(error instanceof GatehouseError) || error.code !== 'invalid_token') throw error;
      sendPage(response, 400, unknown);
    }
  }
}

function sendDone(response: Response, email: string, redirectUrl: string | null, isNew: boolean): void {
  sendPage(response, 200, {
    title: isNew ? 'Thank you' : 'Already confirmed',
    text: `${email} is confirmed. ${redirectUrl ? '' : 'You can close this page.'}`.trim(),
    ...(redirectUrl ? { button: linkButton(redirectUrl, 'Continue') } : {}),
  });
}
