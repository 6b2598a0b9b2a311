import { Module } from '@nestjs/common';
import { CustomerSessionsOperatorController } from './customer-sessions.operator.controller.js';
import { SessionsModule } from './sessions.module.js';

@Module({
  imports: [SessionsModule],
  controllers: [CustomerSessionsOperatorController],
})
export class SessionsOperatorModule {}
