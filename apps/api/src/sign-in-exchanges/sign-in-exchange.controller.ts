import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, PublishableKey, type PublishableKeyCaller } from '@gatehouse/auth';
import { ApiProblems } from '../http/problems/api-problems.js';
import { CurrentClient } from '../http/current-client.js';
import { RateLimit } from '../http/limits/rate-limit.js';
import { setLoggedCustomer, type Client, type GatehouseRequest } from '../http/request-context.js';
import { AuthResponse } from '../sign-in/dto/auth.response.js';
import { ExchangeRequest } from './dto/sign-in-exchange.request.js';
import { SignInExchangeService } from './sign-in-exchange.service.js';

@ApiTags('Authentication')
@PublishableKey()
@Controller('api/v1/auth/exchange')
export class SignInExchangeController {
  constructor(private readonly service: SignInExchangeService) {}

  @Post()
  @ApiOperation({
    operationId: 'auth.exchange',
    summary: 'Exchange a code for tokens',
    description:
      'Returns the customer and their tokens for the code in the redirect from a Gatehouse page or an identity provider. The code can be used once, within 60 seconds, and only with the redirect URL and the verifier of the client that started the sign-in.',
  })
  @HttpCode(200)
  @RateLimit('exchange')
  @ApiOkResponse({ type: AuthResponse })
  @ApiProblems(
    'method_not_enabled',
    'invalid_code',
    'account_exists',
    'email_required',
    'identity_already_linked',
    'sign_up_not_allowed',
    'customer_disabled',
    'email_not_verified',
    'sso_required',
  )
  async exchange(
    @CurrentCaller() { project }: PublishableKeyCaller,
    @Body() body: ExchangeRequest,
    @CurrentClient() client: Client,
    @Req() request: GatehouseRequest,
  ): Promise<AuthResponse> {
    return setLoggedCustomer(await this.service.exchange(project, body, client), request);
  }
}
