import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, NoCredential, Operator, type OperatorCaller } from '#auth';
import { pathUuid } from '#domain';
import { ApiCamelList } from '../http/api-envelopes.js';
import { ApiProblems } from '../http/api-problems.js';
import { CurrentConsoleCookie, type ConsoleCookie } from '../http/console-cookie.js';
import { CurrentClient } from '../http/current-client.js';
import { RateLimit } from '../http/rate-limit.js';
import { camelList } from '../http/paging.js';
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
  RecoveryCodesResponse,
} from './dto/operator-session.response.js';
import { OperatorSessionEntry } from './dto/operator.response.js';
import { OperatorLogin } from './operator-login.service.js';
import { OperatorSessions } from './operator-sessions.service.js';
import { SecondFactor } from './second-factor.service.js';

@ApiTags('Operators')
@Controller('operator/v1/session')
export class OperatorSessionController {
  constructor(
    private readonly sessions: OperatorSessions,
    private readonly login: OperatorLogin,
    private readonly secondFactor: SecondFactor,
  ) {}

  /** How far the console is signed in, and what it has to know about the house. */
  @Get()
  @NoCredential()
  @ApiOkResponse({ type: OperatorSessionResponse })
  show(@CurrentConsoleCookie() cookie: ConsoleCookie): Promise<OperatorSessionResponse> {
    return this.sessions.show(cookie);
  }

  /** Opens a session by e-mail and password, which still lacks its second factor. */
  @Post()
  @HttpCode(200)
  @NoCredential()
  @RateLimit('operator-login')
  @ApiOkResponse({ type: OperatorSessionResponse })
  @ApiProblems('invalid_credentials', 'operator_disabled', 'too_many_attempts', 'overloaded')
  signIn(
    @Body() body: OperatorSignInRequest,
    @CurrentClient() client: Client,
    @CurrentConsoleCookie() cookie: ConsoleCookie,
  ): Promise<OperatorSessionResponse> {
    return this.login.signIn(body, client, cookie);
  }

  /** Signs in by a code of the authenticator or of recovery, each of which is good once. */
  @Post('second-factor')
  @HttpCode(200)
  @NoCredential()
  @RateLimit('operator-login')
  @ApiOkResponse({ type: OperatorSessionResponse })
  @ApiProblems('operator_session_required', 'invalid_code', 'too_many_attempts')
  enterCode(
    @Body() { code }: SecondFactorRequest,
    @CurrentClient() client: Client,
    @CurrentConsoleCookie() cookie: ConsoleCookie,
  ): Promise<OperatorSessionResponse> {
    return this.secondFactor.enter(code, client, cookie);
  }

  /** A secret for the authenticator of an operator who has none yet; the one before is void. */
  @Post('enrollment')
  @HttpCode(200)
  @NoCredential()
  @RateLimit('operator-login')
  @ApiOkResponse({ type: EnrollmentResponse })
  @ApiProblems('operator_session_required')
  enroll(@CurrentConsoleCookie() cookie: ConsoleCookie): Promise<EnrollmentResponse> {
    return this.secondFactor.begin(cookie);
  }

  /** Enrolls the authenticator by its first code and signs in. The recovery codes are in this answer only. */
  @Post('enrollment/confirm')
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
    return this.secondFactor.confirm(code, client, cookie);
  }

  /** Signs out; the session ends in the house as well. */
  @Delete()
  @HttpCode(204)
  @NoCredential()
  @ApiNoContentResponse()
  signOut(@CurrentConsoleCookie() cookie: ConsoleCookie): Promise<void> {
    return this.sessions.signOut(cookie);
  }

  /** Where the operator is signed in, newest first; one page holds them all. */
  @Get('sessions')
  @Operator('viewer')
  @ApiCamelList(OperatorSessionEntry)
  async listOwn(@CurrentCaller() caller: OperatorCaller) {
    const sessions = await this.sessions.listOwn(caller);
    return camelList(
      sessions.map((session) => OperatorSessionEntry.from(session, caller.sessionId)),
      null,
    );
  }

  /** Ends all sessions of the operator but the one that asks. */
  @Delete('sessions')
  @HttpCode(204)
  @Operator('viewer')
  @ApiNoContentResponse()
  endOthers(@CurrentCaller() caller: OperatorCaller): Promise<void> {
    return this.sessions.endOthers(caller);
  }

  /** Ends one session of the operator. */
  @Delete('sessions/:sessionId')
  @HttpCode(204)
  @Operator('viewer')
  @ApiNoContentResponse()
  endOwn(@CurrentCaller() caller: OperatorCaller, @Param('sessionId') id: string): Promise<void> {
    return this.sessions.endOwn(caller, pathUuid(id));
  }

  /** Gives the operator another password and ends their other sessions. */
  @Post('password')
  @HttpCode(204)
  @Operator('viewer')
  @ApiNoContentResponse()
  @ApiProblems('invalid_credentials', 'too_many_attempts', 'weak_password', 'overloaded')
  changePassword(
    @CurrentCaller() caller: OperatorCaller,
    @Body() body: ChangeOperatorPasswordRequest,
    @CurrentClient() client: Client,
  ): Promise<void> {
    return this.login.changePassword(caller, body, client);
  }

  /** New recovery codes in place of all that were left. They are in this answer only. */
  @Post('recovery-codes')
  @HttpCode(200)
  @Operator('viewer')
  @ApiOkResponse({ type: RecoveryCodesResponse })
  @ApiProblems('invalid_code', 'too_many_attempts')
  async renewRecoveryCodes(
    @CurrentCaller() caller: OperatorCaller,
    @Body() { code }: SecondFactorRequest,
    @CurrentClient() client: Client,
  ): Promise<RecoveryCodesResponse> {
    return { recoveryCodes: await this.secondFactor.renewRecoveryCodes(caller, code, client) };
  }
}
