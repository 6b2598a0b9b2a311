import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Operator, type ManagementCaller } from '@gatehouse/auth';
import { ReadsFromReplica } from '../http/replica-reads.interceptor.js';
import { SearchQuery } from './dto/search.request.js';
import { SearchResultResponse, SearchResponse } from './dto/search.response.js';
import { SearchService } from './search.service.js';

@ApiTags('Operators')
@Controller('operator/v1/search')
export class SearchOperatorController {
  constructor(private readonly search: SearchService) {}

  @Get()
  @ReadsFromReplica()
  @ApiOperation({
    operationId: 'search.find',
    summary: 'Search by id or text',
    description:
      'Returns at most ten results across all resource types: exact matches first, then those that begin with the text, then other matches.',
  })
  @Operator('viewer')
  @ApiOkResponse({ type: SearchResponse })
  async find(
    @CurrentCaller() caller: ManagementCaller,
    @Query() { q }: SearchQuery,
  ): Promise<SearchResponse> {
    return { data: (await this.search.find(caller, q)).map((result) => SearchResultResponse.from(result)) };
  }
}
