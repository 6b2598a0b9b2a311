import { Module } from '@nestjs/common';
import { RunningApisService } from './running-apis.service.js';

@Module({
  providers: [RunningApisService],
  exports: [RunningApisService],
})
export class RunningApisModule {}
