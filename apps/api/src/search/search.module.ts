import { Module } from '@nestjs/common';
import { NamedThings } from './named-things.service.js';

@Module({
  providers: [NamedThings],
  exports: [NamedThings],
})
export class SearchModule {}
