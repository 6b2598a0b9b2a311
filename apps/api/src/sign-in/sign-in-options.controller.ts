import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, PublishableKey, type PublishableKeyCaller } from '@gatehouse/auth';
import { RateLimit } from '../http/limits/rate-limit.js';
import { SignInOptionsRequest } from './dto/sign-in-options.request.js';
import { EmailSignInOptionsResponse, SignInOptionsResponse } from './dto/sign-in-options.response.js';
import { SignInOptionsService } from './sign-in-options.service.js';

/** A project's sign-in methods, for its sign-in page. */
@ApiTags('Authentication')
@PublishableKey()
@Controller('api/v1/auth/options')
export class SignInOptionsController {
  constructor(private readonly options: SignInOptionsService) {}

  @Get()
  @ApiOperation({
    operationId: 'auth.getOptions',
    summary: 'Get sign-in options',
    description: 'Returns how customers of the project can sign in and whether they can create accounts.',
  })
  @RateLimit('options')
  @ApiOkResponse({ type: SignInOptionsResponse })
  get(@CurrentCaller() { project }: PublishableKeyCaller): Promise<SignInOptionsResponse> {
    return this.options.get(project);
  }

  @Post()
  @ApiOperation({
    operationId: 'auth.getOptionsForEmail',
    summary: 'Get sign-in options for an email address',
    description:
      'Returns the sign-in options for the domain of an email address. They do not depend on whether a customer has the address.',
  })
  @HttpCode(200)
  @RateLimit('options')
  @ApiOkResponse({ type: EmailSignInOptionsResponse })
  getForEmail(
    @CurrentCaller() { project }: PublishableKeyCaller,
    @Body() { email }: SignInOptionsRequest,
  ): Promise<EmailSignInOptionsResponse> {
    return this.options.getForEmail(project, email);
  }
}
