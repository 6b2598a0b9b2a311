import { Module } from '@nestjs/common';
import { SearchOperatorController } from './search.operator.controller.js';
import { Search } from './search.service.js';

@Module({
  controllers: [SearchOperatorController],
  providers: [Search],
})
export class SearchOperatorModule {}
