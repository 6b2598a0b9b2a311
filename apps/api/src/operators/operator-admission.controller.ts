import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { NoCredential } from '#auth';
import { ApiProblems } from '../http/api-problems.js';
import { CurrentConsoleCookie, type ConsoleCookie } from '../http/console-cookie.js';
import { CurrentClient } from '../http/current-client.js';
import { RateLimit } from '../http/rate-limit.js';
import type { Client } from '../http/request-context.js';
import { AcceptInvitationRequest, SetUpRequest } from './dto/operator-session.request.js';
import { OperatorSessionResponse } from './dto/operator-session.response.js';
import { OperatorAdmission } from './operator-admission.service.js';

@ApiTags('Operators')
@Controller('operator/v1')
export class OperatorAdmissionController {
  constructor(private readonly admission: OperatorAdmission) {}

  /** Makes the first operator of a house, by the link in its log, and opens their session. */
  @Post('setup')
  @HttpCode(200)
  @NoCredential()
  @RateLimit('operator-login')
  @ApiOkResponse({ type: OperatorSessionResponse })
  @ApiProblems('invalid_token', 'weak_password', 'overloaded')
  setUp(
    @Body() body: SetUpRequest,
    @CurrentClient() client: Client,
    @CurrentConsoleCookie() cookie: ConsoleCookie,
  ): Promise<OperatorSessionResponse> {
    return this.admission.setUp(body, client, cookie);
  }

  /** Sets the password of an operator by the link of an invitation, and opens their session. */
  @Post('invitations/accept')
  @HttpCode(200)
  @NoCredential()
  @RateLimit('operator-login')
  @ApiOkResponse({ type: OperatorSessionResponse })
  @ApiProblems('invalid_token', 'weak_password', 'overloaded')
  acceptInvitation(
    @Body() body: AcceptInvitationRequest,
    @CurrentClient() client: Client,
    @CurrentConsoleCookie() cookie: ConsoleCookie,
  ): Promise<OperatorSessionResponse> {
    return this.admission.acceptInvitation(body, client, cookie);
  }
}
