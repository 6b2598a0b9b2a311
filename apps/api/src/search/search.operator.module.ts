import { Module } from '@nestjs/common';
import { SearchOperatorController } from './search.operator.controller.js';
import { SearchService } from './search.service.js';

@Module({
  controllers: [SearchOperatorController],
  providers: [SearchService],
})
export class SearchOperatorModule {}
