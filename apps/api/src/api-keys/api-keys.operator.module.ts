import { Module } from '@nestjs/common';
import { ApiKeysModule } from './api-keys.module.js';
import { ApiKeysOperatorController } from './api-keys.operator.controller.js';

@Module({
  imports: [ApiKeysModule],
  controllers: [ApiKeysOperatorController],
})
export class ApiKeysOperatorModule {}
