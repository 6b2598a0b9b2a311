import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiNoContentResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, NoCredential, PublishableKey, type PublishableKeyCaller } from '@gatehouse/auth';
import { ApiProblems } from '../http/problems/api-problems.js';
import { CurrentClient } from '../http/current-client.js';
import { RateLimit } from '../http/limits/rate-limit.js';
import type { Client } from '../http/request-context.js';
import { EmailLinkRequest } from '../one-time-tokens/dto/email-link.fields.js';
import { ResetPasswordRequest } from './dto/password.request.js';
import { PasswordResetService } from './password-reset.service.js';

/** Routes that reset a forgotten password. */
@ApiTags('Authentication')
@Controller('api/v1/auth')
export class PasswordController {
  constructor(private readonly resets: PasswordResetService) {}

  @Post('forgot-password')
  @ApiOperation({
    operationId: 'auth.forgotPassword',
    summary: 'Request a password reset',
    description:
      'Sends a link to set a new password. The response is the same whether or not a customer has this address.',
  })
  @HttpCode(202)
  @PublishableKey()
  @RateLimit('forgot')
  @ApiAcceptedResponse({ schema: { type: 'object' } })
  @ApiProblems('method_not_enabled')
  async forgot(
    @CurrentCaller() { project }: PublishableKeyCaller,
    @Body() body: EmailLinkRequest,
  ): Promise<Record<string, never>> {
    await this.resets.requestReset(project, body.email, body.redirectUrl);
    return {};
  }

  @Post('reset-password')
  @ApiOperation({
    operationId: 'auth.resetPassword',
    summary: 'Reset a password',
    description: 'Takes the token from a password reset or invitation email.',
  })
  @HttpCode(204)
  @NoCredential()
  @RateLimit('reset')
  @ApiNoContentResponse()
  @ApiProblems('invalid_token', 'origin_not_allowed', 'method_not_enabled', 'sso_required', 'weak_password')
  async reset(@Body() body: ResetPasswordRequest, @CurrentClient() client: Client): Promise<void> {
    await this.resets.reset(body.token, body.password, client);
  }
}
