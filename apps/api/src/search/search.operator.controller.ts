import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Operator, type ManagingCaller } from '#auth';
import { SearchQuery } from './dto/search.request.js';
import { FoundResponse, SearchResponse } from './dto/search.response.js';
import { Search } from './search.service.js';

@ApiTags('Operators')
@Controller('operator/v1/search')
export class SearchOperatorController {
  constructor(private readonly search: Search) {}

  /** Finds anything in the house by its id or by how it begins, at most ten of it. */
  @Get()
  @Operator('viewer')
  @ApiOkResponse({ type: SearchResponse })
  async find(@CurrentCaller() caller: ManagingCaller, @Query() { q }: SearchQuery): Promise<SearchResponse> {
    return { data: (await this.search.find(caller, q)).map((found) => FoundResponse.from(found)) };
  }
}
