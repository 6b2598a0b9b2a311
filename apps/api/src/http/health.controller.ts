import { Controller, Get, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiServiceUnavailableResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { NoCredential } from '@gatehouse/auth';
import { Database } from '@gatehouse/persistence';
import { Config, DeliveryQueue, withTimeout } from '@gatehouse/platform';
import { LivenessResponse, ReadinessResponse } from './health.response.js';
import { Readiness } from './readiness.js';

@ApiTags('Health')
@NoCredential()
@Controller()
export class HealthController {
  constructor(
    private readonly readiness: Readiness,
    private readonly database: Database,
    private readonly queue: DeliveryQueue,
    private readonly config: Config,
  ) {}

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
      'Returns 200 while the process accepts requests. `degraded`: it continues without a component that is unavailable. The metrics and the health in the console show which one.',
  })
  @ApiOkResponse({ type: ReadinessResponse })
  @ApiServiceUnavailableResponse({ type: ReadinessResponse })
  async ready(@Res({ passthrough: true }) response: Response): Promise<ReadinessResponse> {
    const database = await this.isDatabaseReachable();
    const isRedisDown = this.config.redisUrl !== null && !this.queue.isReady();
    const isReady = this.readiness.started && !this.readiness.draining && database;
    response.status(isReady ? 200 : 503);
    return { status: !isReady ? 'unavailable' : isRedisDown ? 'degraded' : 'ready' };
  }

  private async isDatabaseReachable(): Promise<boolean> {
    const query = withTimeout(this.database.ping(), 2_000, 'no response');
    return query.then(
      () => true,
      () => false,
    );
  }
}
