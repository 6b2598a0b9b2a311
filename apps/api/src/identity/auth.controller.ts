import { Body, Controller, Headers, HttpCode, Post, Req, Res } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiBearerAuth,
  ApiCreatedResponse,
  ApiOkResponse,
  ApiSecurity,
  ApiTags,
} from '@nestjs/swagger';
import type { Response } from 'express';
import {
  CurrentCaller,
  NoCredential,
  PublishableKey,
  PublishableOrSecretKey,
  type KeyCaller,
  type PublishableKeyCaller,
} from '#auth';
import { ApiProblems } from '../http/api-problems.js';
import { RateLimit } from '../http/rate-limit.js';
import { clientOf, type HouseRequest } from '../http/request-context.js';
import { LoginRequest, RefreshRequest, RegisterRequest, VerifyEmailRequest } from './dto/auth.request.js';
import { AuthResponse, VerifyEmailResponse } from './dto/auth.response.js';
import { LoginService } from './login.service.js';
import { RefreshService } from './refresh.service.js';
import { RegistrationService } from './registration.service.js';
import { VerificationService } from './verification.service.js';

@ApiTags('Authentication')
@Controller('api/v1/auth')
export class AuthController {
  constructor(
    private readonly registration: RegistrationService,
    private readonly loginService: LoginService,
    private readonly refreshService: RefreshService,
    private readonly verification: VerificationService,
  ) {}

  /** Creates a customer in the key's project and logs them in. */
  @Post('register')
  @PublishableOrSecretKey('customer:write')
  @RateLimit('register')
  @ApiSecurity('publishableKey')
  @ApiBearerAuth('secretKey')
  @ApiCreatedResponse({ type: AuthResponse })
  @ApiAcceptedResponse({
    description: 'Where the project hides who is registered',
    schema: { type: 'object' },
  })
  @ApiProblems(
    'validation_failed',
    'multiple_credentials',
    'invalid_api_key',
    'wrong_credential_type',
    'insufficient_scope',
    'origin_not_allowed',
    'email_already_registered',
    'weak_password',
    'rate_limited',
    'overloaded',
  )
  async register(
    @CurrentCaller() caller: KeyCaller,
    @Body() body: RegisterRequest,
    @Req() request: HouseRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AuthResponse | Record<string, never>> {
    const answer = await this.registration.register(caller, body, clientOf(request));
    if (!answer) response.status(202);
    return answer ?? {};
  }

  /** Logs a customer in with e-mail and password. */
  @Post('login')
  @HttpCode(200)
  @PublishableKey()
  @RateLimit('login')
  @ApiSecurity('publishableKey')
  @ApiOkResponse({ type: AuthResponse })
  @ApiProblems(
    'validation_failed',
    'multiple_credentials',
    'invalid_api_key',
    'wrong_credential_type',
    'invalid_credentials',
    'customer_disabled',
    'email_not_verified',
    'origin_not_allowed',
    'too_many_attempts',
    'rate_limited',
    'overloaded',
  )
  login(
    @CurrentCaller() { project }: PublishableKeyCaller,
    @Body() body: LoginRequest,
    @Req() request: HouseRequest,
  ): Promise<AuthResponse> {
    return this.loginService.login(project, body, clientOf(request));
  }

  /** Exchanges a refresh token for new tokens; the old one is spent. */
  @Post('refresh')
  @HttpCode(200)
  @NoCredential()
  @RateLimit('refresh')
  @ApiOkResponse({ type: AuthResponse })
  @ApiProblems(
    'validation_failed',
    'invalid_refresh_token',
    'refresh_token_expired',
    'refresh_token_reused',
    'origin_not_allowed',
    'rate_limited',
  )
  refresh(@Body() body: RefreshRequest, @Headers('origin') origin?: string): Promise<AuthResponse> {
    return this.refreshService.refresh(body.refreshToken, origin);
  }

  /** Verifies the address that the token was e-mailed to. */
  @Post('verify-email')
  @HttpCode(200)
  @NoCredential()
  @RateLimit('verify')
  @ApiOkResponse({ type: VerifyEmailResponse })
  @ApiProblems('validation_failed', 'invalid_token', 'origin_not_allowed', 'rate_limited')
  async verifyEmail(
    @Body() body: VerifyEmailRequest,
    @Headers('origin') origin?: string,
  ): Promise<VerifyEmailResponse> {
    const { customer } = await this.verification.verify(body.token, origin);
    return { customer };
  }
}
