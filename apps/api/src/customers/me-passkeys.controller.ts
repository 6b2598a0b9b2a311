import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { AccessToken, CurrentCaller, type CustomerCaller } from '@gatehouse/auth';
import { parsePathUuid } from '@gatehouse/domain';
import { ApiCamelList } from '../http/lists/api-envelopes.js';
import { ApiProblems } from '../http/problems/api-problems.js';
import { CurrentClient } from '../http/current-client.js';
import { camelList } from '../http/lists/paging.js';
import { RateLimit } from '../http/limits/rate-limit.js';
import type { Client } from '../http/request-context.js';
import { PasskeyCreationOptionsResponse, PasskeyResponse } from '../passkeys/dto/passkey.response.js';
import { FreshProofRequest } from './dto/me-factors.request.js';
import { AddPasskeyRequest, RenamePasskeyRequest } from './dto/me-passkeys.request.js';
import { AddedPasskeyResponse } from './dto/me-passkeys.response.js';
import { freshProofProblems } from './fresh-proof-problems.js';
import { MePasskeysService } from './me-passkeys.service.js';

@ApiTags('Customer')
@AccessToken()
@Controller('api/v1/me/passkeys')
export class MePasskeysController {
  constructor(private readonly passkeys: MePasskeysService) {}

  @Get()
  @ApiOperation({
    operationId: 'me.listPasskeys',
    summary: 'List your passkeys',
    description: 'Newest first, all on one page. A customer has at most 20 passkeys.',
  })
  @ApiCamelList(PasskeyResponse)
  async list(@CurrentCaller() caller: CustomerCaller) {
    const passkeys = await this.passkeys.list(caller);
    return camelList(
      passkeys.map((passkey) => PasskeyResponse.from(passkey)),
      null,
    );
  }

  @Post('options')
  @ApiOperation({
    operationId: 'me.beginPasskey',
    summary: 'Start adding a passkey',
    description:
      'Returns the options for the browser to create a passkey. They are valid once, for ten minutes. Requires a proof of identity within the last ten minutes.',
  })
  @HttpCode(200)
  @RateLimit('passkey-options')
  @ApiOkResponse({ type: PasskeyCreationOptionsResponse })
  @ApiProblems(...freshProofProblems, 'too_many_passkeys')
  async begin(
    @CurrentCaller() caller: CustomerCaller,
    @Body() { password }: FreshProofRequest,
    @CurrentClient() client: Client,
  ): Promise<PasskeyCreationOptionsResponse> {
    return { options: await this.passkeys.begin(caller, password, client) };
  }

  @Post()
  @ApiOperation({
    operationId: 'me.addPasskey',
    summary: 'Add a passkey',
    description:
      'Adds the passkey that the browser has created in the same session. If it is the first factor, the response contains the recovery codes, which are not shown again.',
  })
  @RateLimit('passkey')
  @ApiCreatedResponse({ type: AddedPasskeyResponse })
  @ApiProblems(
    'method_not_enabled',
    'passkey_not_accepted',
    'reauthentication_required',
    'too_many_passkeys',
    'conflict',
  )
  async add(
    @CurrentCaller() caller: CustomerCaller,
    @Body() body: AddPasskeyRequest,
    @CurrentClient() client: Client,
  ): Promise<AddedPasskeyResponse> {
    const { passkey, recoveryCodes } = await this.passkeys.add(caller, body, client);
    return { passkey: PasskeyResponse.from(passkey), recoveryCodes };
  }

  @Patch(':passkeyId')
  @ApiOperation({
    operationId: 'me.renamePasskey',
    summary: 'Rename a passkey',
    description: 'Requires a proof of identity within the last ten minutes.',
  })
  @RateLimit('passkey')
  @ApiOkResponse({ type: PasskeyResponse })
  @ApiProblems('reauthentication_required')
  async rename(
    @CurrentCaller() caller: CustomerCaller,
    @Param('passkeyId') id: string,
    @Body() { name }: RenamePasskeyRequest,
  ): Promise<PasskeyResponse> {
    return PasskeyResponse.from(await this.passkeys.rename(caller, parsePathUuid(id), name));
  }

  @Delete(':passkeyId')
  @ApiOperation({
    operationId: 'me.removePasskey',
    summary: 'Remove a passkey',
    description:
      'The recovery codes are removed with the last factor. Requires a proof of identity within the last ten minutes.',
  })
  @HttpCode(204)
  @RateLimit('passkey')
  @ApiNoContentResponse()
  @ApiProblems('reauthentication_required', 'conflict', 'last_sign_in_method')
  async remove(@CurrentCaller() caller: CustomerCaller, @Param('passkeyId') id: string): Promise<void> {
    await this.passkeys.remove(caller, parsePathUuid(id));
  }
}
