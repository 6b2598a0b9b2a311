import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, PublishableKey, type PublishableKeyCaller } from '@gatehouse/auth';
import { ApiProblems } from '../http/problems/api-problems.js';
import { CurrentClient } from '../http/current-client.js';
import { RateLimit } from '../http/limits/rate-limit.js';
import { setLoggedCustomer, type Client, type GatehouseRequest } from '../http/request-context.js';
import { PasskeyRequestOptionsResponse } from '../passkeys/dto/passkey.response.js';
import { AuthResponse } from './dto/auth.response.js';
import { PasskeySignInRequest } from './dto/passkey-sign-in.request.js';
import { PasskeySignInService } from './passkey-sign-in.service.js';

@ApiTags('Authentication')
@PublishableKey()
@Controller('api/v1/auth/passkey')
export class PasskeySignInController {
  constructor(private readonly service: PasskeySignInService) {}

  @Post('options')
  @ApiOperation({
    operationId: 'auth.beginPasskey',
    summary: 'Start a passkey sign-in',
    description:
      'Returns the options for the browser to offer the passkeys of the site. They are valid once, for ten minutes.',
  })
  @HttpCode(200)
  @RateLimit('passkey-options')
  @ApiOkResponse({ type: PasskeyRequestOptionsResponse })
  @ApiProblems('method_not_enabled')
  async begin(@CurrentCaller() { project }: PublishableKeyCaller): Promise<PasskeyRequestOptionsResponse> {
    return { options: await this.service.begin(project) };
  }

  @Post()
  @ApiOperation({
    operationId: 'auth.signInWithPasskey',
    summary: 'Sign in with a passkey',
    description:
      'Returns the customer and their tokens. A passkey counts as both factors, so no second factor is required.',
  })
  @HttpCode(200)
  @RateLimit('passkey')
  @ApiOkResponse({ type: AuthResponse })
  @ApiProblems(
    'passkey_not_accepted',
    'method_not_enabled',
    'sso_required',
    'customer_disabled',
    'email_not_verified',
  )
  async signIn(
    @CurrentCaller() { project }: PublishableKeyCaller,
    @Body() { response }: PasskeySignInRequest,
    @CurrentClient() client: Client,
    @Req() request: GatehouseRequest,
  ): Promise<AuthResponse> {
    return setLoggedCustomer(await this.service.complete(project, response, client), request);
  }
}
