import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import type { Response } from 'express';
import {
  AccessToken,
  CurrentCaller,
  PublishableKey,
  PublishableOrSecretKey,
  type CustomerCaller,
  type KeyCaller,
  type PublishableKeyCaller,
} from '@gatehouse/auth';
import { ApiProblems } from '../http/problems/api-problems.js';
import { CurrentClient } from '../http/current-client.js';
import { RateLimit } from '../http/limits/rate-limit.js';
import { setLoggedCustomer, type Client, type GatehouseRequest } from '../http/request-context.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { LoginRequest, LogoutRequest, RegisterRequest } from './dto/auth.request.js';
import { AuthResponse } from './dto/auth.response.js';
import { SignInTokenRequest } from './dto/sign-in-token.request.js';
import { LoginService } from './login.service.js';
import { RegistrationService } from './registration.service.js';
import { SignInTokensService } from './sign-in-tokens.service.js';

@ApiTags('Authentication')
@Controller('api/v1/auth')
export class AuthController {
  constructor(
    private readonly registration: RegistrationService,
    private readonly loginService: LoginService,
    private readonly signInTokens: SignInTokensService,
    private readonly sessions: SessionsService,
  ) {}

  @Post('register')
  @ApiOperation({
    operationId: 'auth.register',
    summary: 'Register a customer',
    description: "Creates a customer in the key's project and signs the customer in.",
  })
  @PublishableOrSecretKey('customer:write')
  @RateLimit('register')
  @ApiCreatedResponse({ type: AuthResponse })
  @ApiAcceptedResponse({
    description: 'Returned for every email address if the project uses `enumerationProtection`',
    schema: { type: 'object' },
  })
  @ApiProblems(
    'method_not_enabled',
    'sign_up_not_allowed',
    'sso_required',
    'email_already_registered',
    'weak_password',
  )
  async register(
    @CurrentCaller() caller: KeyCaller,
    @Body() body: RegisterRequest,
    @CurrentClient() client: Client,
    @Req() request: GatehouseRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AuthResponse | Record<string, never>> {
    const registered = await this.registration.register(caller, body, client);
    if (registered) return setLoggedCustomer(registered, request);
    response.status(202);
    return {};
  }

  @Post('login')
  @ApiOperation({
    operationId: 'auth.login',
    summary: 'Sign in with email and password',
    description:
      'Returns the customer and their tokens. After too many failed sign-ins for one email address, further attempts are temporarily rejected.',
  })
  @HttpCode(200)
  @PublishableKey()
  @RateLimit('login')
  @ApiOkResponse({ type: AuthResponse })
  @ApiProblems(
    'method_not_enabled',
    'invalid_credentials',
    'sso_required',
    'customer_disabled',
    'email_not_verified',
    'too_many_attempts',
    'weak_password',
  )
  async login(
    @CurrentCaller() { project }: PublishableKeyCaller,
    @Body() body: LoginRequest,
    @CurrentClient() client: Client,
    @Req() request: GatehouseRequest,
  ): Promise<AuthResponse> {
    return setLoggedCustomer(await this.loginService.login(project, body, client), request);
  }

  @Post('sign-in-token')
  @ApiOperation({
    operationId: 'auth.signInWithToken',
    summary: 'Sign in with a sign-in token',
    description:
      'Signs in as the customer of a sign-in token. With the purpose `support`, the access token contains `amr: ["support"]`, and the use of the token is not counted as a sign-in by the customer. With the purpose `migration`, the session has the `amr` and `authTime` of the token. No second factor is required.',
  })
  @HttpCode(200)
  @PublishableKey()
  @RateLimit('login')
  @ApiOkResponse({ type: AuthResponse })
  @ApiProblems('invalid_token', 'sso_required', 'customer_disabled', 'email_not_verified')
  async signInWithToken(
    @CurrentCaller() { project }: PublishableKeyCaller,
    @Body() { token }: SignInTokenRequest,
    @CurrentClient() client: Client,
    @Req() request: GatehouseRequest,
  ): Promise<AuthResponse> {
    return setLoggedCustomer(await this.signInTokens.signIn(project, token, client, request), request);
  }

  @Post('logout')
  @ApiOperation({
    operationId: 'auth.logout',
    summary: 'Sign out',
    description:
      'Revokes the current session, all other sessions of the customer, or both, as `scope` specifies.',
  })
  @HttpCode(204)
  @AccessToken()
  @ApiNoContentResponse()
  async logout(@CurrentCaller() caller: CustomerCaller, @Body() body: LogoutRequest): Promise<void> {
    await this.sessions.logout(caller, body.scope ?? 'this');
  }
}
