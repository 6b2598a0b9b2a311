import { Body, Controller, Headers, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { NoCredential } from '#auth';
import { ApiProblems } from '../http/api-problems.js';
import { Idempotency } from '../http/idempotency.service.js';
import { RateLimit } from '../http/rate-limit.js';
import type { HouseRequest } from '../http/request-context.js';
import { RefreshRequest } from './dto/auth.request.js';
import { AuthResponse } from './dto/auth.response.js';
import { logged } from './logged-answer.js';
import { RefreshService } from './refresh.service.js';

/**
 * The busiest route that writes. It stands alone because Nest's interceptors, which every other controller has, would
 * cost it a twentieth of its time: a refresh is an event and no action for the audit log.
 */
@ApiTags('Authentication')
@Controller('api/v1/auth')
export class RefreshController {
  constructor(
    private readonly service: RefreshService,
    private readonly idempotency: Idempotency,
  ) {}

  @Post('refresh')
  @ApiOperation({
    operationId: 'auth.refresh',
    summary: 'Refresh the tokens',
    description:
      'Returns a new access token and a new refresh token. The previous refresh token becomes invalid.',
  })
  @HttpCode(200)
  @NoCredential()
  @RateLimit('refresh')
  @ApiOkResponse({ type: AuthResponse })
  @ApiProblems('invalid_refresh_token', 'refresh_token_expired', 'refresh_token_reused', 'origin_not_allowed')
  refresh(
    @Body() body: RefreshRequest,
    @Headers('origin') origin: string | undefined,
    @Req() request: HouseRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<unknown> {
    return this.idempotency.answer(request, response, async () =>
      logged(await this.service.refresh(body.refreshToken, origin), request),
    );
  }
}
