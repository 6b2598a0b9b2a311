import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { NoCredential } from '@gatehouse/auth';
import { ApiProblems } from '../http/problems/api-problems.js';
import { CurrentConsoleCookie, type ConsoleCookie } from './console-cookie.js';
import { CurrentClient } from '../http/current-client.js';
import { RateLimit } from '../http/limits/rate-limit.js';
import type { Client } from '../http/request-context.js';
import { AcceptInvitationRequest, SetUpRequest } from './dto/operator-session.request.js';
import { OperatorSessionResponse } from './dto/operator-session.response.js';
import { OperatorAdmissionService } from './operator-admission.service.js';

@ApiTags('Operators')
@Controller('operator/v1')
export class OperatorAdmissionController {
  constructor(private readonly admission: OperatorAdmissionService) {}

  @Post('setup')
  @ApiOperation({
    operationId: 'setup.complete',
    summary: 'Create the first operator',
    description:
      'Takes the token from the link that `npm run gatehouse -- operator-link` prints, and starts a session.',
  })
  @HttpCode(200)
  @NoCredential()
  @RateLimit('operator-login')
  @ApiOkResponse({ type: OperatorSessionResponse })
  @ApiProblems('invalid_token', 'weak_password')
  setUp(
    @Body() body: SetUpRequest,
    @CurrentClient() client: Client,
    @CurrentConsoleCookie() cookie: ConsoleCookie,
  ): Promise<OperatorSessionResponse> {
    return this.admission.setUp(body, client, cookie);
  }

  @Post('invitations/accept')
  @ApiOperation({
    operationId: 'invitations.accept',
    summary: 'Accept an invitation',
    description:
      'Sets the password of the invited operator and starts a session. If single sign-on is required, only links from `npm run gatehouse -- operator-link` are accepted.',
  })
  @HttpCode(200)
  @NoCredential()
  @RateLimit('operator-login')
  @ApiOkResponse({ type: OperatorSessionResponse })
  @ApiProblems('single_sign_on_required', 'invalid_token', 'weak_password')
  acceptInvitation(
    @Body() body: AcceptInvitationRequest,
    @CurrentClient() client: Client,
    @CurrentConsoleCookie() cookie: ConsoleCookie,
  ): Promise<OperatorSessionResponse> {
    return this.admission.acceptInvitation(body, client, cookie);
  }
}
