import { Body, Controller, HttpCode, Param, Post, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, PublishableKey, type PublishableKeyCaller } from '@gatehouse/auth';
import { ApiProblems } from '../../http/problems/api-problems.js';
import { CurrentClient } from '../../http/current-client.js';
import { RateLimit } from '../../http/limits/rate-limit.js';
import { setLoggedCustomer, type Client, type GatehouseRequest } from '../../http/request-context.js';
import { AuthResponse } from '../../sign-in/dto/auth.response.js';
import { BeginOAuthRequest, IdTokenRequest } from '../dto/oauth.request.js';
import { OAuthUrlResponse } from '../dto/oauth.response.js';
import { IdTokenSignInService } from './id-token-sign-in.service.js';
import { ProviderFlowsService } from '../provider-flows.service.js';

@ApiTags('Authentication')
@PublishableKey()
@Controller('api/v1/auth/oauth/:provider')
export class OAuthController {
  constructor(
    private readonly flows: ProviderFlowsService,
    private readonly idTokens: IdTokenSignInService,
  ) {}

  @Post()
  @ApiOperation({
    operationId: 'auth.beginOAuth',
    summary: 'Start sign-in with an identity provider',
    description:
      'Returns the URL of the identity provider, for the browser to open. Afterwards, the browser returns to `redirectUrl` with a code for `POST /api/v1/auth/exchange`, or with `error`: `access_denied`, `account_exists`, `email_required`, `sign_up_not_allowed`, `customer_disabled`, `provider_unavailable` or `sign_in_failed`.',
  })
  @HttpCode(200)
  @RateLimit('oauth')
  @ApiOkResponse({ type: OAuthUrlResponse })
  @ApiProblems('provider_not_found', 'provider_unavailable', 'sign_in_failed')
  async begin(
    @CurrentCaller() { project }: PublishableKeyCaller,
    @Param('provider') slug: string,
    @Body() body: BeginOAuthRequest,
  ): Promise<OAuthUrlResponse> {
    return { url: await this.flows.begin(project, await this.flows.getProvider(project, slug), body) };
  }

  @Post('token')
  @ApiOperation({
    operationId: 'auth.signInWithIdToken',
    summary: 'Sign in with an id token',
    description:
      'Signs in with an id token that an app received from Google or Apple. Its audience must be the client id of the provider or one of its `clientIds`. Each id token is accepted once, for at most an hour after it was issued. Clocks may differ by 60 seconds.',
  })
  @HttpCode(200)
  @RateLimit('oauth')
  @ApiOkResponse({ type: AuthResponse })
  @ApiProblems(
    'provider_not_found',
    'method_not_enabled',
    'provider_unavailable',
    'sign_in_failed',
    'account_exists',
    'email_required',
    'sign_up_not_allowed',
    'customer_disabled',
    'sso_required',
    'email_not_verified',
    'identity_already_linked',
    'invalid_code',
  )
  async signInWithIdToken(
    @CurrentCaller() { project }: PublishableKeyCaller,
    @Param('provider') slug: string,
    @Body() body: IdTokenRequest,
    @CurrentClient() client: Client,
    @Req() request: GatehouseRequest,
  ): Promise<AuthResponse> {
    const provider = await this.flows.getProvider(project, slug);
    return setLoggedCustomer(await this.idTokens.signIn(project, provider, body, client), request);
  }
}
