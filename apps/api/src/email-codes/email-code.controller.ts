import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, PublishableKey, type PublishableKeyCaller } from '@gatehouse/auth';
import { ApiProblems } from '../http/problems/api-problems.js';
import { CurrentClient } from '../http/current-client.js';
import { RateLimit } from '../http/limits/rate-limit.js';
import { setLoggedCustomer, type Client, type GatehouseRequest } from '../http/request-context.js';
import { AuthResponse } from '../sign-in/dto/auth.response.js';
import { EmailCodeRequest, VerifyEmailCodeRequest } from './dto/email-code.request.js';
import { EmailCodeResponse } from './dto/email-code.response.js';
import { EmailCodeSignInService } from './email-code-sign-in.service.js';
import { EmailCodesService } from './email-codes.service.js';

@ApiTags('Authentication')
@PublishableKey()
@Controller('api/v1/auth/email-code')
export class EmailCodeController {
  constructor(
    private readonly codes: EmailCodesService,
    private readonly signIns: EmailCodeSignInService,
  ) {}

  @Post()
  @ApiOperation({
    operationId: 'auth.sendEmailCode',
    summary: 'Send a sign-in code',
    description:
      'Emails a code that is valid for ten minutes. With `redirectUrl` and `codeChallenge`, the email also contains a link that redirects to this URL with a code for `POST /api/v1/auth/exchange`. Either the code or the link can be used, once. The response is the same whether or not a customer has this address.',
  })
  @HttpCode(202)
  @RateLimit('email-code')
  @ApiAcceptedResponse({ type: EmailCodeResponse })
  @ApiProblems('method_not_enabled', 'sso_required')
  async send(
    @CurrentCaller() { project }: PublishableKeyCaller,
    @Body() body: EmailCodeRequest,
    @CurrentClient() client: Client,
  ): Promise<EmailCodeResponse> {
    return { challenge: await this.codes.send(project, body, client) };
  }

  @Post('verify')
  @ApiOperation({
    operationId: 'auth.verifyEmailCode',
    summary: 'Sign in with an email code',
    description:
      'Returns the customer and their tokens. Creates the customer if none has the address and the project allows sign-up. Five wrong codes void a challenge. After too many wrong codes for one email address, all codes are rejected for some time.',
  })
  @HttpCode(200)
  @RateLimit('email-code-verify')
  @ApiOkResponse({ type: AuthResponse })
  @ApiProblems(
    'method_not_enabled',
    'invalid_code',
    'sign_up_not_allowed',
    'sso_required',
    'customer_disabled',
    'too_many_attempts',
  )
  async verify(
    @CurrentCaller() { project }: PublishableKeyCaller,
    @Body() body: VerifyEmailCodeRequest,
    @CurrentClient() client: Client,
    @Req() request: GatehouseRequest,
  ): Promise<AuthResponse> {
    return setLoggedCustomer(await this.signIns.signIn(project, body, client), request);
  }
}
