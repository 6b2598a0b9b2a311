import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, SecretKey, type ManagementCaller } from '@gatehouse/auth';
import { ApiSnakeList } from '../http/lists/api-envelopes.js';
import { snakeList } from '../http/lists/paging.js';
import { ReadsFromReplica } from '../http/replica-reads.interceptor.js';
import { DeadLettersService } from './dead-letters.service.js';
import { ListDeadLettersQuery } from './dto/dead-letter.request.js';
import { DeadLetterResponse } from './dto/dead-letter.response.js';

@ApiTags('Webhook deliveries')
@Controller('v1/webhooks/dead-letters')
export class DeadLettersController {
  constructor(private readonly deadLetters: DeadLettersService) {}

  @Get()
  @ReadsFromReplica()
  @ApiOperation({
    operationId: 'deadLetters.list',
    summary: 'List dead letters',
    description:
      'Deliveries that have failed permanently and are neither redelivered nor discarded, newest first. A page may contain fewer than `limit`, or none, while `has_more` is true.',
  })
  @SecretKey('webhook:read')
  @ApiSnakeList(DeadLetterResponse)
  async list(@CurrentCaller() caller: ManagementCaller, @Query() query: ListDeadLettersQuery) {
    const { items, nextCursor } = await this.deadLetters.list(caller, query);
    return snakeList(
      items.map((deadLetter) => DeadLetterResponse.from(deadLetter)),
      nextCursor,
    );
  }
}
