import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { NestLogger, runProcess } from '@gatehouse/platform';
import { WorkerModule } from './worker.module.js';
import { WorkerService } from './worker.service.js';

await runProcess('webhook-worker', async (config, logger) => {
  const app = await NestFactory.createApplicationContext(WorkerModule.forRoot(config, logger), {
    logger: new NestLogger(logger),
  });
  return app.get(WorkerService);
});
