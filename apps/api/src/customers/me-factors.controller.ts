import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { AccessToken, CurrentCaller, type CustomerCaller } from '@gatehouse/auth';
import { parsePathUuid } from '@gatehouse/domain';
import { FactorsResponse, RecoveryCodesResponse } from '../factors/dto/factors.response.js';
import { ApiProblems } from '../http/problems/api-problems.js';
import { CurrentClient } from '../http/current-client.js';
import { RateLimit } from '../http/limits/rate-limit.js';
import type { Client } from '../http/request-context.js';
import { ConfirmTotpRequest, FreshProofRequest } from './dto/me-factors.request.js';
import { ConfirmedFactorResponse, NewTotpFactorResponse } from './dto/me-factors.response.js';
import { freshProofProblems } from './fresh-proof-problems.js';
import { MeFactorsService } from './me-factors.service.js';

@ApiTags('Customer')
@AccessToken()
@Controller('api/v1/me')
export class MeFactorsController {
  constructor(private readonly factors: MeFactorsService) {}

  @Get('factors')
  @ApiOperation({
    operationId: 'me.listFactors',
    summary: 'List your second factors',
    description: 'Returns the authenticators and the number of unused recovery codes.',
  })
  @ApiOkResponse({ type: FactorsResponse })
  async list(@CurrentCaller() caller: CustomerCaller): Promise<FactorsResponse> {
    return FactorsResponse.from(await this.factors.list(caller));
  }

  @Post('factors/totp')
  @ApiOperation({
    operationId: 'me.addTotp',
    summary: 'Add an authenticator',
    description:
      'Returns the secret of a new authenticator. The authenticator has no effect until it is confirmed with one of its codes, which must happen within ten minutes. Requires a proof of identity within the last ten minutes.',
  })
  @RateLimit('reauthenticate')
  @ApiCreatedResponse({ type: NewTotpFactorResponse })
  @ApiProblems(...freshProofProblems, 'conflict')
  addTotp(
    @CurrentCaller() caller: CustomerCaller,
    @Body() { password }: FreshProofRequest,
    @CurrentClient() client: Client,
  ): Promise<NewTotpFactorResponse> {
    return this.factors.beginTotp(caller, password, client);
  }

  @Post('factors/totp/:factorId/confirm')
  @ApiOperation({
    operationId: 'me.confirmTotp',
    summary: 'Confirm an authenticator',
    description:
      'Confirms a new authenticator with its code. If it is the first factor, the response contains the recovery codes, which are not shown again.',
  })
  @HttpCode(200)
  @RateLimit('reauthenticate')
  @ApiOkResponse({ type: ConfirmedFactorResponse })
  @ApiProblems('invalid_code', 'reauthentication_required', 'conflict', 'too_many_attempts')
  async confirmTotp(
    @CurrentCaller() caller: CustomerCaller,
    @Param('factorId') id: string,
    @Body() { code }: ConfirmTotpRequest,
    @CurrentClient() client: Client,
  ): Promise<ConfirmedFactorResponse> {
    return { recoveryCodes: await this.factors.confirmTotp(caller, parsePathUuid(id), code, client) };
  }

  @Delete('factors/:factorId')
  @ApiOperation({
    operationId: 'me.removeFactor',
    summary: 'Remove a second factor',
    description:
      'Removes an authenticator or a passkey. The recovery codes are removed with the last factor. Requires a proof of identity within the last ten minutes, with a second factor.',
  })
  @HttpCode(204)
  @RateLimit('reauthenticate')
  @ApiNoContentResponse()
  @ApiProblems('reauthentication_required', 'conflict', 'last_sign_in_method')
  async remove(@CurrentCaller() caller: CustomerCaller, @Param('factorId') id: string): Promise<void> {
    await this.factors.remove(caller, parsePathUuid(id));
  }

  @Post('recovery-codes')
  @ApiOperation({
    operationId: 'me.renewRecoveryCodes',
    summary: 'Regenerate your recovery codes',
    description:
      'Returns ten new recovery codes; the previous ones become invalid. Requires a proof of identity within the last ten minutes, with a second factor.',
  })
  @RateLimit('reauthenticate')
  @ApiCreatedResponse({ type: RecoveryCodesResponse })
  @ApiProblems(...freshProofProblems, 'conflict')
  async renewRecoveryCodes(
    @CurrentCaller() caller: CustomerCaller,
    @Body() { password }: FreshProofRequest,
    @CurrentClient() client: Client,
  ): Promise<RecoveryCodesResponse> {
    return { recoveryCodes: await this.factors.renewRecoveryCodes(caller, password, client) };
  }
}
