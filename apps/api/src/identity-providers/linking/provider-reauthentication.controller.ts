import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AccessToken, CurrentCaller, type CustomerCaller } from '@gatehouse/auth';
import { ApiProblems } from '../../http/problems/api-problems.js';
import { RateLimit } from '../../http/limits/rate-limit.js';
import { AccessTokenResponse } from '../../sign-in/dto/tokens.response.js';
import { OAuthTargetRequest, ProviderCodeRequest } from '../dto/oauth.request.js';
import { OAuthUrlResponse } from '../dto/oauth.response.js';
import { MeIdentitiesService } from './me-identities.service.js';

@ApiTags('Customer')
@AccessToken()
@Controller('api/v1/me/reauthenticate')
export class ProviderReauthenticationController {
  constructor(private readonly identities: MeIdentitiesService) {}

  @Post('oauth/:provider')
  @ApiOperation({
    operationId: 'me.beginProviderReauthentication',
    summary: 'Start reauthentication with an identity provider',
    description:
      'Returns the URL of the identity provider, for the browser to open. The provider requires the customer to sign in again. Afterwards, the browser returns to `redirectUrl` with a code for `POST /api/v1/me/reauthenticate/exchange`, or with `error`. Returns 403 `method_not_enabled` for providers that cannot prove a new sign-in: Google, Apple, GitHub, Discord, and Microsoft without the `auth_time` claim.',
  })
  @HttpCode(200)
  @RateLimit('oauth')
  @ApiOkResponse({ type: OAuthUrlResponse })
  @ApiProblems(
    'method_not_enabled',
    'reauthentication_required',
    'sso_required',
    'provider_not_found',
    'provider_unavailable',
    'sign_in_failed',
  )
  async begin(
    @CurrentCaller() caller: CustomerCaller,
    @Param('provider') slug: string,
    @Body() body: OAuthTargetRequest,
  ): Promise<OAuthUrlResponse> {
    return { url: await this.identities.beginReauthentication(caller, slug, body) };
  }

  @Post('exchange')
  @ApiOperation({
    operationId: 'me.reauthenticateWithProvider',
    summary: 'Finish reauthentication with an identity provider',
    description:
      "Returns an access token for the same session with a new `auth_time`, for the code from the query of the redirect URL. Only the session that started the reauthentication can finish it. Returns 401 `invalid_access_token` if the provider has also verified the customer's previously unverified address, which ends all earlier access.",
  })
  @HttpCode(200)
  @RateLimit('exchange')
  @ApiOkResponse({ type: AccessTokenResponse })
  @ApiProblems('method_not_enabled', 'reauthentication_required', 'sso_required', 'invalid_code')
  exchange(
    @CurrentCaller() caller: CustomerCaller,
    @Body() body: ProviderCodeRequest,
  ): Promise<AccessTokenResponse> {
    return this.identities.reauthenticate(caller, body);
  }
}
