import { Body, Controller, Param, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, SecretKey, type SecretKeyCaller } from '@gatehouse/auth';
import { parsePathUuid } from '@gatehouse/domain';
import { ApiProblems } from '../http/problems/api-problems.js';
import { CreateSignInTokenRequest } from './dto/sign-in-token.request.js';
import { SignInTokenResponse } from './dto/sign-in-token.response.js';
import { SignInTokensService } from './sign-in-tokens.service.js';

@ApiTags('Customers')
@Controller('api/v1/customers')
export class SignInTokensController {
  constructor(private readonly tokens: SignInTokensService) {}

  @Post(':customerId/sign-in-tokens')
  @ApiOperation({
    operationId: 'customers.createSignInToken',
    summary: 'Create a sign-in token',
    description:
      'Returns a token for `POST /api/v1/auth/sign-in-token`. The token signs in as the customer once, within five minutes. Requires a secret key with the `customer:impersonate` scope, or the `session:migrate` scope for the purpose `migration`.',
  })
  @SecretKey()
  @ApiCreatedResponse({ type: SignInTokenResponse })
  @ApiProblems('insufficient_scope', 'conflict', 'project_archived')
  create(
    @CurrentCaller() caller: SecretKeyCaller,
    @Param('customerId') id: string,
    @Body() body: CreateSignInTokenRequest,
  ): Promise<SignInTokenResponse> {
    return this.tokens.create(caller, parsePathUuid(id), body);
  }
}
