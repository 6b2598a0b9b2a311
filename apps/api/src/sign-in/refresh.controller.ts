import { Body, Controller, Headers, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { NoCredential } from '@gatehouse/auth';
import { ApiProblems } from '../http/problems/api-problems.js';
import { IdempotencyService } from '../http/idempotency/idempotency.service.js';
import { RateLimit } from '../http/limits/rate-limit.js';
import { setLoggedCustomer, type GatehouseRequest } from '../http/request-context.js';
import { SkipInterceptors } from '../http/skip-interceptors.js';
import { RefreshRequest } from './dto/auth.request.js';
import { RefreshResponse } from './dto/auth.response.js';
import { RefreshService } from './refresh.service.js';

/**
 * The route with the most writes. It skips the interceptors: a refresh is not recorded in the audit log, and its body
 * is validated before its Idempotency-Key is read.
 */
@ApiTags('Authentication')
@Controller('api/v1/auth')
export class RefreshController {
  constructor(
    private readonly service: RefreshService,
    private readonly idempotency: IdempotencyService,
  ) {}

  @Post('refresh')
  @ApiOperation({
    operationId: 'auth.refresh',
    summary: 'Refresh tokens',
    description:
      'Returns a new access token and a new refresh token. The previous refresh token becomes invalid.',
  })
  @HttpCode(200)
  @NoCredential()
  @SkipInterceptors()
  @RateLimit('refresh')
  @ApiOkResponse({ type: RefreshResponse })
  @ApiProblems(
    'invalid_refresh_token',
    'refresh_token_expired',
    'refresh_token_reused',
    'reauthentication_required',
    'origin_not_allowed',
  )
  refresh(
    @Body() body: RefreshRequest,
    @Headers('origin') origin: string | undefined,
    @Req() request: GatehouseRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<unknown> {
    return this.idempotency.respond(request, response, async () =>
      setLoggedCustomer(
        await this.service.refresh(body.refreshToken, { origin, counted: request.counted }),
        request,
      ),
    );
  }
}
