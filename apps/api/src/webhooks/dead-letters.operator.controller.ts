import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Operator, type ManagementCaller } from '@gatehouse/auth';
import { ActorNamesService } from '../audit/actor-names.service.js';
import { ApiSnakeList } from '../http/lists/api-envelopes.js';
import { CountResponse } from '../http/lists/count.response.js';
import { snakeList } from '../http/lists/paging.js';
import { ReadsFromReplica } from '../http/replica-reads.interceptor.js';
import { DeliverySearchService } from './delivery-search.service.js';
import { NamedDeadLetterResponse } from './dto/dead-letter.response.js';
import { CountDeadLettersQuery, SearchDeadLettersQuery } from './dto/delivery-search.request.js';

@ApiTags('Operators')
@Controller('operator/v1/webhooks/dead-letters')
export class DeadLettersOperatorController {
  constructor(
    private readonly search: DeliverySearchService,
    private readonly actors: ActorNamesService,
  ) {}

  @Get()
  @ReadsFromReplica()
  @ApiOperation({
    operationId: 'deadLetters.list',
    summary: 'List dead letters',
    description:
      'Deliveries that have failed permanently, with their resolution, newest first. A page may contain fewer than `limit`, or none, while `has_more` is true.',
  })
  @Operator('viewer')
  @ApiSnakeList(NamedDeadLetterResponse)
  async list(@CurrentCaller() caller: ManagementCaller, @Query() query: SearchDeadLettersQuery) {
    const { items, nextCursor } = await this.search.listDeadLetters(caller, query);
    const names = await this.actors.resolve(items.map(({ resolvedBy }) => resolvedBy));
    return snakeList(
      items.map((deadLetter) => NamedDeadLetterResponse.withNames(deadLetter, names)),
      nextCursor,
    );
  }

  @Get('count')
  @ReadsFromReplica()
  @ApiOperation({ operationId: 'deadLetters.count', summary: 'Count dead letters' })
  @Operator('viewer')
  @ApiOkResponse({ type: CountResponse })
  async count(@CurrentCaller() caller: ManagementCaller, @Query() query: CountDeadLettersQuery) {
    return CountResponse.from(await this.search.countDeadLetters(caller, query));
  }
}
