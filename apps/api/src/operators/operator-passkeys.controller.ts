import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  CurrentCaller,
  NoCredential,
  Operator,
  ReauthenticationRequired,
  type OperatorCaller,
} from '@gatehouse/auth';
import { parsePathUuid } from '@gatehouse/domain';
import { ApiCamelList } from '../http/lists/api-envelopes.js';
import { ApiProblems } from '../http/problems/api-problems.js';
import { CurrentConsoleCookie, type ConsoleCookie } from './console-cookie.js';
import { CurrentClient } from '../http/current-client.js';
import { camelList } from '../http/lists/paging.js';
import { RateLimit } from '../http/limits/rate-limit.js';
import type { Client } from '../http/request-context.js';
import {
  PasskeyCreationOptionsResponse,
  PasskeyRequestOptionsResponse,
  PasskeyResponse,
} from '../passkeys/dto/passkey.response.js';
import {
  AddOperatorPasskeyRequest,
  OperatorPasskeyRequest,
  RenameOperatorPasskeyRequest,
} from './dto/operator-passkey.request.js';
import { EnrolledResponse, OperatorSessionResponse } from './dto/operator-session.response.js';
import { OperatorPasskeysService } from './operator-passkeys.service.js';

@ApiTags('Operators')
@Controller('operator/v1/session')
export class OperatorPasskeysController {
  constructor(private readonly passkeys: OperatorPasskeysService) {}

  @Post('second-factor/passkey/options')
  @ApiOperation({
    operationId: 'session.beginPasskey',
    summary: 'Start passkey verification',
    description:
      "Returns the WebAuthn options for the operator's passkeys. They are valid once, for ten minutes.",
  })
  @HttpCode(200)
  @NoCredential()
  @RateLimit('operator-login')
  @ApiOkResponse({ type: PasskeyRequestOptionsResponse })
  @ApiProblems('operator_session_required', 'method_not_enabled')
  async beginSignIn(@CurrentConsoleCookie() cookie: ConsoleCookie): Promise<PasskeyRequestOptionsResponse> {
    return { options: await this.passkeys.beginSignIn(cookie) };
  }

  @Post('second-factor/passkey')
  @ApiOperation({
    operationId: 'session.verifyPasskey',
    summary: 'Verify a passkey as a second factor',
    description: 'Completes the sign-in.',
  })
  @HttpCode(200)
  @NoCredential()
  @RateLimit('operator-login')
  @ApiOkResponse({ type: OperatorSessionResponse })
  @ApiProblems('operator_session_required', 'too_many_attempts', 'passkey_not_accepted', 'method_not_enabled')
  verify(
    @Body() { response }: OperatorPasskeyRequest,
    @CurrentClient() client: Client,
    @CurrentConsoleCookie() cookie: ConsoleCookie,
  ): Promise<OperatorSessionResponse> {
    return this.passkeys.completeSignIn(response, client, cookie);
  }

  @Post('enrollment/passkey/options')
  @ApiOperation({
    operationId: 'session.beginPasskeyEnrollment',
    summary: 'Start passkey enrollment',
    description: 'For an operator who has no second factor. The options are valid once, for ten minutes.',
  })
  @HttpCode(200)
  @NoCredential()
  @RateLimit('operator-login')
  @ApiOkResponse({ type: PasskeyCreationOptionsResponse })
  @ApiProblems('operator_session_required', 'method_not_enabled')
  async beginEnrollment(
    @CurrentConsoleCookie() cookie: ConsoleCookie,
  ): Promise<PasskeyCreationOptionsResponse> {
    return { options: await this.passkeys.beginEnrollment(cookie) };
  }

  @Post('enrollment/passkey')
  @ApiOperation({
    operationId: 'session.enrollPasskey',
    summary: 'Add a passkey as a second factor',
    description: 'Completes the sign-in. The recovery codes are returned only in this response.',
  })
  @HttpCode(200)
  @NoCredential()
  @RateLimit('operator-login')
  @ApiOkResponse({ type: EnrolledResponse })
  @ApiProblems(
    'operator_session_required',
    'too_many_attempts',
    'passkey_not_accepted',
    'method_not_enabled',
    'conflict',
  )
  enroll(
    @Body() { name, response }: AddOperatorPasskeyRequest,
    @CurrentClient() client: Client,
    @CurrentConsoleCookie() cookie: ConsoleCookie,
  ): Promise<EnrolledResponse> {
    return this.passkeys.enroll(name, response, client, cookie);
  }

  @Post('reauthenticate/passkey/options')
  @ApiOperation({
    operationId: 'session.beginPasskeyReauthentication',
    summary: 'Start reauthentication with a passkey',
  })
  @HttpCode(200)
  @Operator('viewer')
  @RateLimit('operator-login')
  @ApiOkResponse({ type: PasskeyRequestOptionsResponse })
  @ApiProblems('method_not_enabled')
  async beginReauthentication(
    @CurrentCaller() caller: OperatorCaller,
  ): Promise<PasskeyRequestOptionsResponse> {
    return { options: await this.passkeys.beginReauthentication(caller) };
  }

  @Post('reauthenticate/passkey')
  @ApiOperation({
    operationId: 'session.reauthenticateWithPasskey',
    summary: 'Reauthenticate with a passkey',
    description: 'Has the same effect as reauthentication with a code.',
  })
  @HttpCode(200)
  @Operator('viewer')
  @RateLimit('operator-login')
  @ApiOkResponse({ type: OperatorSessionResponse })
  @ApiProblems('too_many_attempts', 'passkey_not_accepted', 'method_not_enabled', 'conflict')
  reauthenticate(
    @CurrentCaller() caller: OperatorCaller,
    @Body() { response }: OperatorPasskeyRequest,
    @CurrentClient() client: Client,
    @CurrentConsoleCookie() cookie: ConsoleCookie,
  ): Promise<OperatorSessionResponse> {
    return this.passkeys.reauthenticate(caller, response, client, cookie);
  }

  @Get('passkeys')
  @ApiOperation({
    operationId: 'session.listPasskeys',
    summary: 'List your passkeys',
    description: 'Newest first, all on one page.',
  })
  @Operator('viewer')
  @ApiCamelList(PasskeyResponse)
  async list(@CurrentCaller() caller: OperatorCaller) {
    return camelList(
      (await this.passkeys.list(caller)).map((passkey) => PasskeyResponse.from(passkey)),
      null,
    );
  }

  @Post('passkeys/options')
  @ReauthenticationRequired()
  @ApiOperation({
    operationId: 'session.beginAddingPasskey',
    summary: 'Start adding a passkey',
  })
  @HttpCode(200)
  @Operator('viewer')
  @RateLimit('operator-login')
  @ApiOkResponse({ type: PasskeyCreationOptionsResponse })
  @ApiProblems('method_not_enabled', 'conflict')
  async beginAdding(@CurrentCaller() caller: OperatorCaller): Promise<PasskeyCreationOptionsResponse> {
    return { options: await this.passkeys.beginAdding(caller) };
  }

  @Post('passkeys')
  @ReauthenticationRequired()
  @ApiOperation({
    operationId: 'session.addPasskey',
    summary: 'Add a passkey',
    description: 'Ends your other sessions. Sensitive actions then require reauthentication again.',
  })
  @HttpCode(200)
  @Operator('viewer')
  @ApiOkResponse({ type: PasskeyResponse })
  @ApiProblems('too_many_attempts', 'passkey_not_accepted', 'method_not_enabled', 'conflict')
  async add(
    @CurrentCaller() caller: OperatorCaller,
    @Body() { name, response }: AddOperatorPasskeyRequest,
    @CurrentClient() client: Client,
  ): Promise<PasskeyResponse> {
    return PasskeyResponse.from(await this.passkeys.add(caller, name, response, client));
  }

  @Patch('passkeys/:passkeyId')
  @ReauthenticationRequired()
  @ApiOperation({ operationId: 'session.renamePasskey', summary: 'Rename a passkey' })
  @Operator('viewer')
  @ApiOkResponse({ type: PasskeyResponse })
  async rename(
    @CurrentCaller() caller: OperatorCaller,
    @Param('passkeyId') id: string,
    @Body() { name }: RenameOperatorPasskeyRequest,
  ): Promise<PasskeyResponse> {
    return PasskeyResponse.from(await this.passkeys.rename(caller, parsePathUuid(id), name));
  }

  @Delete('passkeys/:passkeyId')
  @ReauthenticationRequired()
  @ApiOperation({
    operationId: 'session.removePasskey',
    summary: 'Remove a passkey',
    description: 'Sensitive actions then require reauthentication again.',
  })
  @HttpCode(204)
  @Operator('viewer')
  @ApiNoContentResponse()
  @ApiProblems('conflict')
  remove(
    @CurrentCaller() caller: OperatorCaller,
    @Param('passkeyId') id: string,
    @CurrentClient() client: Client,
  ): Promise<void> {
    return this.passkeys.remove(caller, parsePathUuid(id), client);
  }
}
