import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { AccessToken, CurrentCaller, type CustomerCaller } from '@gatehouse/auth';
import { parsePathUuid } from '@gatehouse/domain';
import { ApiCamelList } from '../../http/lists/api-envelopes.js';
import { ApiProblems } from '../../http/problems/api-problems.js';
import { camelList } from '../../http/lists/paging.js';
import { RateLimit } from '../../http/limits/rate-limit.js';
import { IdentityResponse } from '../../identities/dto/identity.response.js';
import { OAuthTargetRequest, ProviderCodeRequest } from '../dto/oauth.request.js';
import { OAuthUrlResponse } from '../dto/oauth.response.js';
import { MeIdentitiesService } from './me-identities.service.js';

@ApiTags('Customer')
@AccessToken()
@Controller('api/v1/me/identities')
export class MeIdentitiesController {
  constructor(private readonly identities: MeIdentitiesService) {}

  @Get()
  @ApiOperation({
    operationId: 'me.listIdentities',
    summary: 'List your identities',
    description:
      'Returns the identity provider accounts with which the customer can sign in, newest first, all on one page.',
  })
  @ApiCamelList(IdentityResponse)
  async list(@CurrentCaller() caller: CustomerCaller) {
    const identities = await this.identities.list(caller);
    return camelList(
      identities.map((identity) => IdentityResponse.from(identity)),
      null,
    );
  }

  @Post('exchange')
  @ApiOperation({
    operationId: 'me.linkIdentity',
    summary: 'Finish linking an identity',
    description:
      "Links the account at the identity provider, with the code from the query of the redirect URL. Only the session that started linking can finish it. If the provider has verified the customer's previously unverified address, all earlier access ends, including this session. Requires a proof of identity within the last ten minutes.",
  })
  @RateLimit('exchange')
  @ApiCreatedResponse({ type: IdentityResponse })
  @ApiProblems('method_not_enabled', 'reauthentication_required', 'invalid_code', 'identity_already_linked')
  async link(
    @CurrentCaller() caller: CustomerCaller,
    @Body() body: ProviderCodeRequest,
  ): Promise<IdentityResponse> {
    return IdentityResponse.from(await this.identities.link(caller, body));
  }

  @Post(':identity')
  @ApiOperation({
    operationId: 'me.beginIdentityLink',
    summary: 'Start linking an identity',
    description:
      'Returns the URL of the identity provider, for the browser to open. Afterwards, the browser returns to `redirectUrl` with a code for `POST /api/v1/me/identities/exchange`, or with `error`. Requires a proof of identity within the last ten minutes.',
  })
  @ApiParam({ name: 'identity', description: 'Slug of the identity provider', example: 'google' })
  @HttpCode(200)
  @RateLimit('oauth')
  @ApiOkResponse({ type: OAuthUrlResponse })
  @ApiProblems('reauthentication_required', 'provider_not_found', 'provider_unavailable', 'sign_in_failed')
  async beginLink(
    @CurrentCaller() caller: CustomerCaller,
    @Param('identity') slug: string,
    @Body() body: OAuthTargetRequest,
  ): Promise<OAuthUrlResponse> {
    return { url: await this.identities.beginLink(caller, slug, body) };
  }

  @Delete(':identity')
  @ApiOperation({
    operationId: 'me.unlinkIdentity',
    summary: 'Remove an identity',
    description:
      'The customer can no longer sign in with this identity provider account. Requires a proof of identity within the last ten minutes.',
  })
  @ApiParam({ name: 'identity', description: 'Id of the identity' })
  @HttpCode(204)
  @RateLimit('reauthenticate')
  @ApiNoContentResponse()
  @ApiProblems('reauthentication_required', 'last_sign_in_method')
  async unlink(@CurrentCaller() caller: CustomerCaller, @Param('identity') id: string): Promise<void> {
    await this.identities.unlink(caller, parsePathUuid(id));
  }
}
