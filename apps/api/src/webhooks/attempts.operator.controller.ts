import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Operator, type ManagementCaller } from '@gatehouse/auth';
import { ApiSnakeList } from '../http/lists/api-envelopes.js';
import { CountResponse } from '../http/lists/count.response.js';
import { snakeList } from '../http/lists/paging.js';
import { ReadsFromReplica } from '../http/replica-reads.interceptor.js';
import { DeliverySearchService } from './delivery-search.service.js';
import { CountAttemptsQuery, SearchAttemptsQuery } from './dto/delivery-search.request.js';
import { AttemptResponse } from './dto/delivery.response.js';

@ApiTags('Operators')
@Controller('operator/v1/webhooks/attempts')
export class AttemptsOperatorController {
  constructor(private readonly search: DeliverySearchService) {}

  @Get()
  @ReadsFromReplica()
  @ApiOperation({
    operationId: 'attempts.list',
    summary: 'List delivery attempts',
    description:
      'Newest first. A page may contain fewer attempts than `limit`, or none, while `has_more` is true.',
  })
  @Operator('viewer')
  @ApiSnakeList(AttemptResponse)
  async list(@CurrentCaller() caller: ManagementCaller, @Query() query: SearchAttemptsQuery) {
    const { items, nextCursor } = await this.search.listAttempts(caller, query);
    return snakeList(
      items.map((attempt) => AttemptResponse.from(attempt)),
      nextCursor,
    );
  }

  @Get('count')
  @ReadsFromReplica()
  @ApiOperation({ operationId: 'attempts.count', summary: 'Count delivery attempts' })
  @Operator('viewer')
  @ApiOkResponse({ type: CountResponse })
  async count(@CurrentCaller() caller: ManagementCaller, @Query() query: CountAttemptsQuery) {
    return CountResponse.from(await this.search.countAttempts(caller, query));
  }
}
