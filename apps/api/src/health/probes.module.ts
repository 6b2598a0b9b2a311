import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { HealthController } from './health.controller.js';
import { Probes } from './probes.js';
import { WorkerWatchService } from './worker-watch.service.js';

/** What monitoring and other processes read. Also without the console. */
@Module({
  imports: [HttpModule],
  controllers: [HealthController],
  providers: [Probes, WorkerWatchService],
  exports: [WorkerWatchService],
})
export class ProbesModule {}
