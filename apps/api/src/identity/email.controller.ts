import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, NoCredential, PublishableKey, type PublishableKeyCaller } from '#auth';
import { ApiProblems } from '../http/api-problems.js';
import { CurrentClient } from '../http/current-client.js';
import { RateLimit } from '../http/rate-limit.js';
import type { Client } from '../http/request-context.js';
import { ConfirmEmailChangeRequest, LinkRequest, VerifyEmailRequest } from './dto/auth.request.js';
import { EmailChangeResponse, VerifyEmailResponse } from './dto/auth.response.js';
import { EmailChangeService } from './email-change.service.js';
import { VerificationService } from './verification.service.js';

/** What customers do about their e-mail address. */
@ApiTags('Authentication')
@Controller('api/v1/auth')
export class EmailController {
  constructor(
    private readonly verification: VerificationService,
    private readonly changes: EmailChangeService,
  ) {}

  /** Verifies the address that the token was e-mailed to. */
  @Post('verify-email')
  @HttpCode(200)
  @NoCredential()
  @RateLimit('verify')
  @ApiOkResponse({ type: VerifyEmailResponse })
  @ApiProblems('invalid_token', 'origin_not_allowed')
  async verify(
    @Body() body: VerifyEmailRequest,
    @CurrentClient() { origin }: Client,
  ): Promise<VerifyEmailResponse> {
    return { customer: await this.verification.verify(body.token, origin) };
  }

  /** Sends the verification mail again; the answer is the same for everyone. */
  @Post('resend-verification')
  @HttpCode(202)
  @PublishableKey()
  @RateLimit('resend')
  @ApiAcceptedResponse({ schema: { type: 'object' } })
  async resend(
    @CurrentCaller() { project }: PublishableKeyCaller,
    @Body() body: LinkRequest,
  ): Promise<Record<string, never>> {
    await this.verification.resend(project, body.email, body.redirectUrl);
    return {};
  }

  /** Confirms one side of a change of address; the second one changes it. */
  @Post('confirm-email-change')
  @HttpCode(200)
  @NoCredential()
  @RateLimit('verify')
  @ApiOkResponse({ type: EmailChangeResponse })
  @ApiProblems('invalid_token', 'origin_not_allowed', 'email_already_registered')
  async confirmChange(
    @Body() body: ConfirmEmailChangeRequest,
    @CurrentClient() { origin }: Client,
  ): Promise<EmailChangeResponse> {
    return { status: await this.changes.confirm(body.token, origin) };
  }
}
