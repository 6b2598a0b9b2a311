import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, NoCredential, PublishableKey, type PublishableKeyCaller } from '@gatehouse/auth';
import { ApiProblems } from '../http/problems/api-problems.js';
import { CurrentClient } from '../http/current-client.js';
import { RateLimit } from '../http/limits/rate-limit.js';
import type { Client } from '../http/request-context.js';
import { EmailLinkRequest } from '../one-time-tokens/dto/email-link.fields.js';
import { ConfirmEmailChangeRequest, DisownRequest, VerifyEmailRequest } from './dto/email.request.js';
import { EmailChangeResponse, VerifyEmailResponse } from './dto/email.response.js';
import { DisownService } from './disown.service.js';
import { EmailChangeService } from './email-change.service.js';
import { VerificationService } from './verification.service.js';

/** Routes that verify, disown and change a customer's email address. */
@ApiTags('Authentication')
@Controller('api/v1/auth')
export class EmailController {
  constructor(
    private readonly verification: VerificationService,
    private readonly disowns: DisownService,
    private readonly changes: EmailChangeService,
  ) {}

  @Post('verify-email')
  @ApiOperation({
    operationId: 'auth.verifyEmail',
    summary: 'Verify an email address',
    description: 'Takes the token from the verification email.',
  })
  @HttpCode(200)
  @NoCredential()
  @RateLimit('verify')
  @ApiOkResponse({ type: VerifyEmailResponse })
  @ApiProblems('invalid_token', 'origin_not_allowed')
  async verify(
    @Body() body: VerifyEmailRequest,
    @CurrentClient() client: Client,
  ): Promise<VerifyEmailResponse> {
    return { customer: await this.verification.verify(body.token, client) };
  }

  @Post('disown')
  @ApiOperation({
    operationId: 'auth.disown',
    summary: 'Report an account you did not create',
    description:
      'For the owner of an email address, if another person registered an account with it or changed the address of an account to it. Takes the token from the verification email, even after it has verified the address. After an address change, takes the token from the email to the new address. Removes the password, all sessions and all open links of the account, verifies the address, and sends it a link to set a password. Nothing else changes.',
  })
  @HttpCode(200)
  @NoCredential()
  @RateLimit('verify')
  @ApiOkResponse({ type: VerifyEmailResponse })
  @ApiProblems('invalid_token', 'origin_not_allowed')
  async disown(@Body() body: DisownRequest, @CurrentClient() client: Client): Promise<VerifyEmailResponse> {
    return { customer: await this.disowns.disown(body.token, client) };
  }

  @Post('resend-verification')
  @ApiOperation({
    operationId: 'auth.resendVerification',
    summary: 'Resend the verification email',
    description: 'The response is the same whether or not a customer has this address.',
  })
  @HttpCode(202)
  @PublishableKey()
  @RateLimit('resend')
  @ApiAcceptedResponse({ schema: { type: 'object' } })
  async resend(
    @CurrentCaller() { project }: PublishableKeyCaller,
    @Body() body: EmailLinkRequest,
  ): Promise<Record<string, never>> {
    await this.verification.resend(project, body.email, body.redirectUrl);
    return {};
  }

  @Post('confirm-email-change')
  @ApiOperation({
    operationId: 'auth.confirmEmailChange',
    summary: 'Confirm an email address change',
    description: 'Confirms one of the two addresses. The second confirmation changes the address.',
  })
  @HttpCode(200)
  @NoCredential()
  @RateLimit('verify')
  @ApiOkResponse({ type: EmailChangeResponse })
  @ApiProblems('invalid_token', 'origin_not_allowed', 'sso_required', 'email_already_registered')
  async confirmChange(
    @Body() body: ConfirmEmailChangeRequest,
    @CurrentClient() client: Client,
  ): Promise<EmailChangeResponse> {
    return { status: await this.changes.confirm(body.token, client) };
  }
}
