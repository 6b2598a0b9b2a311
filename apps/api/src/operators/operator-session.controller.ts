import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  CurrentCaller,
  NoCredential,
  Operator,
  type OperatorCaller,
  ReauthenticationRequired,
} from '@gatehouse/auth';
import { parsePathUuid } from '@gatehouse/domain';
import { ApiCamelList } from '../http/lists/api-envelopes.js';
import { ApiProblems } from '../http/problems/api-problems.js';
import { CurrentConsoleCookie, type ConsoleCookie } from './console-cookie.js';
import { CurrentClient } from '../http/current-client.js';
import { RateLimit } from '../http/limits/rate-limit.js';
import { camelList } from '../http/lists/paging.js';
import type { Client } from '../http/request-context.js';
import {
  AuthenticatorCodeRequest,
  ChangeOperatorPasswordRequest,
  OperatorSignInRequest,
  SecondFactorRequest,
} from './dto/operator-session.request.js';
import {
  EnrolledResponse,
  EnrollmentResponse,
  OperatorSessionResponse,
  OperatorRecoveryCodesResponse,
} from './dto/operator-session.response.js';
import { OperatorSessionEntry } from './dto/operator.response.js';
import { OperatorLoginService } from './operator-login.service.js';
import { OperatorSessionsService } from './operator-sessions.service.js';
import { SecondFactorService } from './second-factor.service.js';

@ApiTags('Operators')
@Controller('operator/v1/session')
export class OperatorSessionController {
  constructor(
    private readonly sessions: OperatorSessionsService,
    private readonly login: OperatorLoginService,
    private readonly secondFactor: SecondFactorService,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'session.get',
    summary: 'Get the current session',
    description: 'Returns the state of the sign-in and the settings that apply to the console.',
  })
  @NoCredential()
  @ApiOkResponse({ type: OperatorSessionResponse })
  get(
    @CurrentClient() client: Client,
    @CurrentConsoleCookie() cookie: ConsoleCookie,
  ): Promise<OperatorSessionResponse> {
    return this.sessions.describe(cookie, client);
  }

  @Post()
  @ApiOperation({
    operationId: 'session.create',
    summary: 'Sign in with email and password',
    description: 'The session is incomplete until the second factor is verified.',
  })
  @HttpCode(200)
  @NoCredential()
  @RateLimit('operator-login')
  @ApiOkResponse({ type: OperatorSessionResponse })
  @ApiProblems('single_sign_on_required', 'invalid_credentials', 'operator_disabled', 'too_many_attempts')
  signIn(
    @Body() body: OperatorSignInRequest,
    @CurrentClient() client: Client,
    @CurrentConsoleCookie() cookie: ConsoleCookie,
  ): Promise<OperatorSessionResponse> {
    return this.login.signIn(body, client, cookie);
  }

  @Post('second-factor')
  @ApiOperation({
    operationId: 'session.verifySecondFactor',
    summary: 'Verify the second factor',
    description: 'Accepts a code from the authenticator app or a recovery code. Each code works once.',
  })
  @HttpCode(200)
  @NoCredential()
  @RateLimit('operator-login')
  @ApiOkResponse({ type: OperatorSessionResponse })
  @ApiProblems('operator_session_required', 'invalid_code', 'too_many_attempts')
  submitCode(
    @Body() { code }: SecondFactorRequest,
    @CurrentClient() client: Client,
    @CurrentConsoleCookie() cookie: ConsoleCookie,
  ): Promise<OperatorSessionResponse> {
    return this.secondFactor.verifyCode(code, client, cookie);
  }

  @Post('enrollment')
  @ApiOperation({
    operationId: 'session.startEnrollment',
    summary: 'Start authenticator enrollment',
    description:
      'Returns a new secret for an operator who has no authenticator. A previous secret that was not confirmed becomes invalid.',
  })
  @HttpCode(200)
  @NoCredential()
  @RateLimit('operator-login')
  @ApiOkResponse({ type: EnrollmentResponse })
  @ApiProblems('operator_session_required')
  enroll(@CurrentConsoleCookie() cookie: ConsoleCookie): Promise<EnrollmentResponse> {
    return this.secondFactor.beginEnrollment(cookie);
  }

  @Post('enrollment/replace')
  @ApiOperation({
    operationId: 'session.startReplacement',
    summary: 'Start authenticator replacement',
    description:
      'Accepts a code from the current authenticator app or a recovery code, and returns the secret of a new authenticator. The current authenticator stays valid until `enrollment/confirm` receives a code from the new one.',
  })
  @HttpCode(200)
  @Operator('viewer')
  @RateLimit('operator-login')
  @ApiOkResponse({ type: EnrollmentResponse })
  @ApiProblems('factor_required', 'invalid_code', 'too_many_attempts')
  replace(
    @CurrentCaller() caller: OperatorCaller,
    @Body() { code }: SecondFactorRequest,
    @CurrentClient() client: Client,
  ): Promise<EnrollmentResponse> {
    return this.secondFactor.beginReplacement(caller, code, client);
  }

  @Post('enrollment/confirm')
  @ApiOperation({
    operationId: 'session.confirmEnrollment',
    summary: 'Confirm authenticator enrollment',
    description:
      'Verifies the first code and completes the sign-in. A previous authenticator and its recovery codes become invalid. The recovery codes are returned only in this response.',
  })
  @HttpCode(200)
  @NoCredential()
  @RateLimit('operator-login')
  @ApiOkResponse({ type: EnrolledResponse })
  @ApiProblems('operator_session_required', 'invalid_code', 'too_many_attempts')
  confirmEnrollment(
    @Body() { code }: AuthenticatorCodeRequest,
    @CurrentClient() client: Client,
    @CurrentConsoleCookie() cookie: ConsoleCookie,
  ): Promise<EnrolledResponse> {
    return this.secondFactor.confirmEnrollment(code, client, cookie);
  }

  @Post('enrollment/skip')
  @ApiOperation({
    operationId: 'session.skipEnrollment',
    summary: 'Skip second-factor enrollment',
    description:
      'Completes the sign-in of an operator who has no authenticator. Allowed only outside production and from a loopback address. Some actions then return `factor_required` until an authenticator is enrolled.',
  })
  @HttpCode(200)
  @NoCredential()
  @RateLimit('operator-login')
  @ApiOkResponse({ type: OperatorSessionResponse })
  @ApiProblems('operator_session_required', 'factor_required')
  skipEnrollment(
    @CurrentClient() client: Client,
    @CurrentConsoleCookie() cookie: ConsoleCookie,
  ): Promise<OperatorSessionResponse> {
    return this.secondFactor.skipEnrollment(client, cookie);
  }

  @Delete()
  @ApiOperation({ operationId: 'session.delete', summary: 'Sign out', description: 'Revokes the session.' })
  @HttpCode(204)
  @NoCredential()
  @ApiNoContentResponse()
  signOut(@CurrentConsoleCookie() cookie: ConsoleCookie): Promise<void> {
    return this.sessions.signOut(cookie);
  }

  @Get('sessions')
  @ApiOperation({
    operationId: 'session.listSessions',
    summary: 'List your sessions',
    description: 'Newest first, all on one page.',
  })
  @Operator('viewer')
  @ApiCamelList(OperatorSessionEntry)
  async listOwnSessions(@CurrentCaller() caller: OperatorCaller) {
    const sessions = await this.sessions.listOwnSessions(caller);
    return camelList(
      sessions.map((session) => OperatorSessionEntry.from(session, caller.sessionId)),
      null,
    );
  }

  @Delete('sessions')
  @ReauthenticationRequired('enrolled')
  @ApiOperation({ operationId: 'session.revokeOtherSessions', summary: 'Revoke your other sessions' })
  @HttpCode(204)
  @Operator('viewer')
  @ApiNoContentResponse()
  endOtherSessions(@CurrentCaller() caller: OperatorCaller): Promise<void> {
    return this.sessions.endOtherSessions(caller);
  }

  @Delete('sessions/:sessionId')
  @ReauthenticationRequired('enrolled')
  @ApiOperation({ operationId: 'session.revokeSession', summary: 'Revoke one of your sessions' })
  @HttpCode(204)
  @Operator('viewer')
  @ApiNoContentResponse()
  endOwnSession(@CurrentCaller() caller: OperatorCaller, @Param('sessionId') id: string): Promise<void> {
    return this.sessions.endOwnSession(caller, parsePathUuid(id));
  }

  @Post('password')
  @ReauthenticationRequired('enrolled')
  @ApiOperation({
    operationId: 'session.changePassword',
    summary: 'Change your password',
    description: 'Revokes your other sessions. The session cookie gets a new value.',
  })
  @HttpCode(204)
  @Operator('viewer')
  @ApiNoContentResponse()
  @ApiProblems('single_sign_on_required', 'invalid_credentials', 'too_many_attempts', 'weak_password')
  changePassword(
    @CurrentCaller() caller: OperatorCaller,
    @Body() body: ChangeOperatorPasswordRequest,
    @CurrentClient() client: Client,
    @CurrentConsoleCookie() cookie: ConsoleCookie,
  ): Promise<void> {
    return this.login.changePassword(caller, body, client, cookie);
  }

  @Post('reauthenticate')
  @ApiOperation({
    operationId: 'session.reauthenticate',
    summary: 'Reauthenticate with a code',
    description:
      "Accepts a code from the authenticator app or a recovery code. Each code works once. For five minutes, this session may then manage operators, revoke operators' sessions, change the password, and create and rotate API keys. The session cookie gets a new value.",
  })
  @HttpCode(200)
  @Operator('viewer')
  @RateLimit('operator-login')
  @ApiOkResponse({ type: OperatorSessionResponse })
  @ApiProblems('factor_required', 'invalid_code', 'too_many_attempts', 'conflict')
  reauthenticate(
    @CurrentCaller() caller: OperatorCaller,
    @Body() { code }: SecondFactorRequest,
    @CurrentClient() client: Client,
    @CurrentConsoleCookie() cookie: ConsoleCookie,
  ): Promise<OperatorSessionResponse> {
    return this.secondFactor.reauthenticate(caller, code, client, cookie);
  }

  @Post('recovery-codes')
  @ApiOperation({
    operationId: 'session.regenerateRecoveryCodes',
    summary: 'Regenerate your recovery codes',
    description: 'The previous codes become invalid. The new codes are returned only in this response.',
  })
  @HttpCode(200)
  @Operator('viewer')
  @ApiOkResponse({ type: OperatorRecoveryCodesResponse })
  @ApiProblems('invalid_code', 'too_many_attempts')
  async renewRecoveryCodes(
    @CurrentCaller() caller: OperatorCaller,
    @Body() { code }: SecondFactorRequest,
    @CurrentClient() client: Client,
  ): Promise<OperatorRecoveryCodesResponse> {
    return { recoveryCodes: await this.secondFactor.renewRecoveryCodes(caller, code, client) };
  }
}
