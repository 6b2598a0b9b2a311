import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, NoCredential, Operator, type OperatorCaller } from '@gatehouse/auth';
import { ApiProblems } from '../http/problems/api-problems.js';
import { CurrentConsoleCookie, type ConsoleCookie } from './console-cookie.js';
import { RateLimit } from '../http/limits/rate-limit.js';
import { OAuthUrlResponse } from '../identity-providers/dto/oauth.response.js';
import { BeginSingleSignOnRequest } from './dto/operator-session.request.js';
import { CurrentOidcFlowCookie, type OidcFlowCookie } from './oidc-flow-cookie.js';
import { OidcSignInService } from './oidc-sign-in.service.js';

@ApiTags('Operators')
@Controller('operator/v1/session/oidc')
export class OperatorOidcController {
  constructor(private readonly signIns: OidcSignInService) {}

  @Post()
  @ApiOperation({
    operationId: 'session.beginSingleSignOn',
    summary: 'Start single sign-on',
    description:
      'Returns the URL of the OpenID Provider. The browser must open it within ten minutes. The provider redirects to Gatehouse, which sets the session cookie. A current session is revoked.',
  })
  @HttpCode(200)
  @NoCredential()
  @RateLimit('operator-login')
  @ApiOkResponse({ type: OAuthUrlResponse })
  @ApiProblems('not_found', 'provider_unavailable', 'sign_in_failed')
  async begin(
    @Body() { to, isSeparateWindow }: BeginSingleSignOnRequest,
    @CurrentConsoleCookie() session: ConsoleCookie,
    @CurrentOidcFlowCookie() flow: OidcFlowCookie,
  ): Promise<OAuthUrlResponse> {
    return { url: await this.signIns.beginSignIn({ to, isSeparateWindow }, { session, flow }) };
  }

  @Post('reauthenticate')
  @ApiOperation({
    operationId: 'session.beginReauthentication',
    summary: 'Start reauthentication with single sign-on',
    description:
      'Returns the URL of the OpenID Provider at which an operator who has used single sign-on signs in again. Afterwards, `isReauthenticated` of the session is true for five minutes. The session cookie gets a new value.',
  })
  @HttpCode(200)
  @Operator('viewer')
  @RateLimit('operator-login')
  @ApiOkResponse({ type: OAuthUrlResponse })
  @ApiProblems('not_found', 'conflict', 'provider_unavailable', 'sign_in_failed')
  async reauthenticate(
    @CurrentCaller() caller: OperatorCaller,
    @CurrentOidcFlowCookie() flow: OidcFlowCookie,
  ): Promise<OAuthUrlResponse> {
    return { url: await this.signIns.beginReauthentication(caller, flow) };
  }
}
