import { Controller, Get, Inject, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiServiceUnavailableResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { NoCredential } from '@gatehouse/auth';
import { Database, readReadinessStatus } from '@gatehouse/persistence';
import { DeliveryQueue } from '@gatehouse/platform';
import { LivenessResponse, ReadinessResponse } from './health.response.js';
import { Readiness } from './readiness.js';
import { WorkerWatch } from './worker-watch.js';

@ApiTags('Health')
@NoCredential()
@Controller()
export class HealthController {
  constructor(
    private readonly readiness: Readiness,
    private readonly database: Database,
    private readonly workerWatch: WorkerWatch,
    @Inject(DeliveryQueue) private readonly queue: DeliveryQueue | null,
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
      'Returns 200 while the process accepts requests. `degraded`: it continues without a component, such as Redis or a webhook-worker, that is unavailable. The metrics and the health in the console show which one.',
  })
  @ApiOkResponse({ type: ReadinessResponse })
  @ApiServiceUnavailableResponse({ type: ReadinessResponse })
  async ready(@Res({ passthrough: true }) response: Response): Promise<ReadinessResponse> {
    const isServing = this.readiness.started && !this.readiness.draining;
    const status = isServing ? await readReadinessStatus(this.database, this.queue) : 'unavailable';
    response.status(status === 'unavailable' ? 503 : 200);
    return { status: status === 'ready' && this.workerWatch.isWorkerMissing ? 'degraded' : status };
  }
}
