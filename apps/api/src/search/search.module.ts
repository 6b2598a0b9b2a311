import { Module } from '@nestjs/common';
import { SearchTermsService } from './search-terms.service.js';

@Module({
  providers: [SearchTermsService],
  exports: [SearchTermsService],
})
export class SearchModule {}
