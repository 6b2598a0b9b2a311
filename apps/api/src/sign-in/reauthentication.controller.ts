import { Body, Controller, HttpCode, Post, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AccessToken, CurrentCaller, type CustomerCaller } from '@gatehouse/auth';
import { ApiProblems } from '../http/problems/api-problems.js';
import { CurrentClient } from '../http/current-client.js';
import { RateLimit } from '../http/limits/rate-limit.js';
import type { Client } from '../http/request-context.js';
import { PasskeyRequestOptionsResponse } from '../passkeys/dto/passkey.response.js';
import { ReauthenticateRequest, ReauthenticationOptionsRequest } from './dto/reauthentication.request.js';
import { AccessTokenResponse } from './dto/tokens.response.js';
import { ReauthenticationService } from './reauthentication.service.js';

@ApiTags('Customer')
@AccessToken()
@Controller('api/v1/me/reauthenticate')
export class ReauthenticationController {
  constructor(private readonly service: ReauthenticationService) {}

  @Post('options')
  @ApiOperation({
    operationId: 'me.beginReauthentication',
    summary: 'Start reauthentication',
    description:
      'For `passkey`, returns the options with which the browser uses a passkey of the customer. They are valid once, for ten minutes. For `email_code`, sends a code to the verified address of the customer and returns 202. The code is valid for ten minutes in this session. Customers can use it if `signIn.emailCode` is on, or if they have neither a password nor a passkey.',
  })
  @HttpCode(200)
  @RateLimit('passkey-options')
  @ApiOkResponse({ type: PasskeyRequestOptionsResponse })
  @ApiAcceptedResponse({ schema: { type: 'object' } })
  @ApiProblems('method_not_enabled', 'sso_required', 'reauthentication_required')
  async begin(
    @CurrentCaller() caller: CustomerCaller,
    @Body() { method }: ReauthenticationOptionsRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PasskeyRequestOptionsResponse | Record<string, never>> {
    if (method === 'email_code') {
      await this.service.sendCode(caller);
      response.status(202);
      return {};
    }
    return { options: await this.service.beginPasskey(caller) };
  }

  @Post()
  @ApiOperation({
    operationId: 'me.reauthenticate',
    summary: 'Reauthenticate the signed-in customer',
    description:
      'Returns an access token for the same session with a new `auth_time`. The refresh token of the session stays valid. Customers with a second factor must prove it: a password or an email code alone returns 403 `reauthentication_required`.',
  })
  @HttpCode(200)
  @RateLimit('reauthenticate')
  @ApiOkResponse({ type: AccessTokenResponse })
  @ApiProblems(
    'invalid_credentials',
    'invalid_code',
    'passkey_not_accepted',
    'method_not_enabled',
    'reauthentication_required',
    'sso_required',
    'too_many_attempts',
  )
  reauthenticate(
    @CurrentCaller() caller: CustomerCaller,
    @Body() body: ReauthenticateRequest,
    @CurrentClient() client: Client,
  ): Promise<AccessTokenResponse> {
    return this.service.reauthenticate(caller, body, client);
  }
}
