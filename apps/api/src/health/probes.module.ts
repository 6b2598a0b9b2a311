import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { HealthController } from './health.controller.js';
import { Probes } from './probes.js';
import { WorkerWatchService } from './worker-watch.service.js';

/** Provides the probes, even if the console is disabled. */
@Module({
  imports: [HttpModule],
  controllers: [HealthController],
  providers: [Probes, WorkerWatchService],
  exports: [WorkerWatchService],
})
export class ProbesModule {}
