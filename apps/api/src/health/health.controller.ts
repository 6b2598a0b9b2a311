import { Controller, Get, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiServiceUnavailableResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { NoCredential } from '@gatehouse/auth';
import { LivenessResponse, ReadinessResponse } from './dto/readiness.response.js';
import { Probes } from './probes.js';

@ApiTags('Health')
@NoCredential()
@Controller()
export class HealthController {
  constructor(private readonly probes: Probes) {}

  @Get('livez')
  @ApiOperation({
    operationId: 'health.live',
    summary: 'Check liveness',
    description: 'Returns 200 while the process is running.',
  })
  @ApiOkResponse({ type: LivenessResponse })
  live(): LivenessResponse {
    return { status: 'ok' };
  }

  @Get('readyz')
  @ApiOperation({
    operationId: 'health.ready',
    summary: 'Check readiness',
    description:
      'Returns 200 while the process accepts requests, and 503 while it starts or stops. `degraded`: a component such as PostgreSQL, Redis or the webhook-worker is unavailable, and the process continues without it. Requests that need PostgreSQL then return 503.',
  })
  @ApiOkResponse({ type: ReadinessResponse })
  @ApiServiceUnavailableResponse({ type: ReadinessResponse })
  ready(@Res({ passthrough: true }) response: Response): ReadinessResponse {
    const status = this.probes.readReadiness();
    response.status(status === 'unavailable' ? 503 : 200);
    return { status };
  }
}
