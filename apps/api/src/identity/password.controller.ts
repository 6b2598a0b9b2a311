import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiNoContentResponse, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, NoCredential, PublishableKey, type PublishableKeyCaller } from '#auth';
import { ApiProblems } from '../http/api-problems.js';
import { CurrentClient } from '../http/current-client.js';
import { RateLimit } from '../http/rate-limit.js';
import type { Client } from '../http/request-context.js';
import { LinkRequest, ResetPasswordRequest } from './dto/auth.request.js';
import { PasswordResetService } from './password-reset.service.js';

/** What customers do who do not know their password. */
@ApiTags('Authentication')
@Controller('api/v1/auth')
export class PasswordController {
  constructor(private readonly resets: PasswordResetService) {}

  /** Mails a link to set a new password; the answer is the same for everyone. */
  @Post('forgot-password')
  @HttpCode(202)
  @PublishableKey()
  @RateLimit('forgot')
  @ApiAcceptedResponse({ schema: { type: 'object' } })
  async forgot(
    @CurrentCaller() { project }: PublishableKeyCaller,
    @Body() body: LinkRequest,
  ): Promise<Record<string, never>> {
    await this.resets.forgot(project, body.email, body.redirectUrl);
    return {};
  }

  /** Sets the password of the customer whom the token was mailed to, also the first one of an invited customer. */
  @Post('reset-password')
  @HttpCode(204)
  @NoCredential()
  @RateLimit('reset')
  @ApiNoContentResponse()
  @ApiProblems('invalid_token', 'origin_not_allowed', 'weak_password', 'overloaded')
  async reset(@Body() body: ResetPasswordRequest, @CurrentClient() client: Client): Promise<void> {
    await this.resets.reset(body.token, body.password, client);
  }
}
