import { Module } from '@nestjs/common';
import { ErrorDocsController } from './error-docs.controller.js';

@Module({
  controllers: [ErrorDocsController],
})
export class ErrorDocsModule {}
