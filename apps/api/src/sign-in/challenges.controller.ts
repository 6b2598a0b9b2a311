import { applyDecorators, Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, PublishableKey, type PublishableKeyCaller } from '@gatehouse/auth';
import type { ErrorCode } from '@gatehouse/domain';
import { TotpSecretResponse } from '../factors/dto/factors.response.js';
import { ApiProblems } from '../http/problems/api-problems.js';
import { CurrentClient } from '../http/current-client.js';
import { RateLimit } from '../http/limits/rate-limit.js';
import { setLoggedCustomer, type Client, type GatehouseRequest } from '../http/request-context.js';
import {
  PasskeyCreationOptionsResponse,
  PasskeyRequestOptionsResponse,
} from '../passkeys/dto/passkey.response.js';
import { ChallengesService } from './challenges.service.js';
import { CompletedChallengeResponse } from './dto/auth.response.js';
import {
  ChallengeCodeRequest,
  ChallengePasskeyRequest,
  ChallengeRequest,
  EnrollPasskeyRequest,
} from './dto/challenge.request.js';

/**
 * Describes a route that completes the sign-in of a challenge.
 * @param problems errors that only this route returns
 */
const CompletesSignIn = (...problems: ErrorCode[]): MethodDecorator =>
  applyDecorators(
    RateLimit('challenge'),
    ApiOkResponse({ type: CompletedChallengeResponse }),
    ApiProblems(
      'challenge_expired',
      'method_not_enabled',
      ...problems,
      'customer_disabled',
      'sso_required',
      'email_not_verified',
      'too_many_attempts',
    ),
  );

@ApiTags('Authentication')
@PublishableKey()
@Controller('api/v1/auth/challenge')
export class ChallengesController {
  constructor(private readonly challenges: ChallengesService) {}

  @Post('totp')
  @ApiOperation({
    operationId: 'auth.completeWithTotp',
    summary: 'Complete a challenge with an authenticator',
    description:
      'Completes the sign-in with the code of an authenticator app. In an enrollment, the code confirms the new authenticator, and the response contains the recovery codes.',
  })
  @HttpCode(200)
  @CompletesSignIn('invalid_code')
  async completeWithTotp(
    @CurrentCaller() { project }: PublishableKeyCaller,
    @Body() { challengeToken, code }: ChallengeCodeRequest,
    @CurrentClient() client: Client,
    @Req() request: GatehouseRequest,
  ): Promise<CompletedChallengeResponse> {
    const response = await this.challenges.complete(project, challengeToken, 'totp', code, client);
    return setLoggedCustomer(response, request);
  }

  @Post('recovery-code')
  @ApiOperation({
    operationId: 'auth.completeWithRecoveryCode',
    summary: 'Complete a challenge with a recovery code',
    description: 'Completes the sign-in with a recovery code, which works once.',
  })
  @HttpCode(200)
  @CompletesSignIn('invalid_code')
  async completeWithRecoveryCode(
    @CurrentCaller() { project }: PublishableKeyCaller,
    @Body() { challengeToken, code }: ChallengeCodeRequest,
    @CurrentClient() client: Client,
    @Req() request: GatehouseRequest,
  ): Promise<CompletedChallengeResponse> {
    const response = await this.challenges.complete(project, challengeToken, 'recovery_code', code, client);
    return setLoggedCustomer(response, request);
  }

  @Post('enroll-totp')
  @ApiOperation({
    operationId: 'auth.enrollTotp',
    summary: 'Add an authenticator during a challenge',
    description:
      'Returns the secret of a new authenticator for a challenge of the kind `enroll_factor`. `POST /api/v1/auth/challenge/totp` confirms it.',
  })
  @HttpCode(200)
  @RateLimit('challenge')
  @ApiOkResponse({ type: TotpSecretResponse })
  @ApiProblems('challenge_expired')
  enrollTotp(
    @CurrentCaller() { project }: PublishableKeyCaller,
    @Body() { challengeToken }: ChallengeRequest,
  ): Promise<TotpSecretResponse> {
    return this.challenges.enrollTotp(project, challengeToken);
  }

  @Post('passkey/options')
  @ApiOperation({
    operationId: 'auth.beginChallengePasskey',
    summary: 'Start passkey verification for a challenge',
    description:
      'Returns the options for the browser to use a passkey of the customer. They are valid once, for ten minutes.',
  })
  @HttpCode(200)
  @RateLimit('passkey-options')
  @ApiOkResponse({ type: PasskeyRequestOptionsResponse })
  @ApiProblems('challenge_expired', 'method_not_enabled')
  async beginPasskey(
    @CurrentCaller() { project }: PublishableKeyCaller,
    @Body() { challengeToken }: ChallengeRequest,
  ): Promise<PasskeyRequestOptionsResponse> {
    return { options: await this.challenges.beginPasskey(project, challengeToken) };
  }

  @Post('passkey')
  @ApiOperation({
    operationId: 'auth.completeWithPasskey',
    summary: 'Complete a challenge with a passkey',
    description: 'Completes the sign-in with a passkey of the customer.',
  })
  @HttpCode(200)
  @CompletesSignIn('passkey_not_accepted', 'method_not_enabled')
  async completeWithPasskey(
    @CurrentCaller() { project }: PublishableKeyCaller,
    @Body() { challengeToken, response }: ChallengePasskeyRequest,
    @CurrentClient() client: Client,
    @Req() request: GatehouseRequest,
  ): Promise<CompletedChallengeResponse> {
    const completed = await this.challenges.completeWithPasskey(project, challengeToken, response, client);
    return setLoggedCustomer(completed, request);
  }

  @Post('enroll-passkey/options')
  @ApiOperation({
    operationId: 'auth.beginPasskeyEnrollment',
    summary: 'Start adding a passkey during a challenge',
    description:
      'Returns the options for the browser to create a passkey, for a challenge of the kind `enroll_factor`. They are valid once, for ten minutes.',
  })
  @HttpCode(200)
  @RateLimit('passkey-options')
  @ApiOkResponse({ type: PasskeyCreationOptionsResponse })
  @ApiProblems('challenge_expired', 'method_not_enabled')
  async beginPasskeyEnrollment(
    @CurrentCaller() { project }: PublishableKeyCaller,
    @Body() { challengeToken }: ChallengeRequest,
  ): Promise<PasskeyCreationOptionsResponse> {
    return { options: await this.challenges.beginPasskeyEnrollment(project, challengeToken) };
  }

  @Post('enroll-passkey')
  @ApiOperation({
    operationId: 'auth.enrollPasskey',
    summary: 'Add a passkey during a challenge',
    description:
      'Adds the first factor of the customer and completes the sign-in. The response contains the recovery codes.',
  })
  @HttpCode(200)
  @CompletesSignIn('passkey_not_accepted', 'method_not_enabled', 'too_many_passkeys', 'conflict')
  async enrollPasskey(
    @CurrentCaller() { project }: PublishableKeyCaller,
    @Body() { challengeToken, response }: EnrollPasskeyRequest,
    @CurrentClient() client: Client,
    @Req() request: GatehouseRequest,
  ): Promise<CompletedChallengeResponse> {
    const completed = await this.challenges.enrollPasskey(project, challengeToken, response, client);
    return setLoggedCustomer(completed, request);
  }
}
