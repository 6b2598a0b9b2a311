import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentCaller, SecretKey, type ManagingCaller } from '#auth';
import { ApiSnakeList } from '../http/api-envelopes.js';
import { snakeList } from '../http/paging.js';
import { DeadLettersService } from './dead-letters.service.js';
import { ListDeadLettersQuery } from './dto/dead-letter.request.js';
import { DeadLetterResponse } from './dto/dead-letter.response.js';

@ApiTags('Webhook deliveries')
@Controller('v1/webhooks/dead-letters')
export class DeadLettersController {
  constructor(private readonly deadLetters: DeadLettersService) {}

  /**
   * Deliveries that have failed for good and that nobody has redelivered or discarded, newest first. With a filter
   * that few match, a page may hold less than `limit`, even nothing, while `has_more` is true.
   */
  @Get()
  @SecretKey('webhook:read')
  @ApiSnakeList(DeadLetterResponse)
  async list(@CurrentCaller() caller: ManagingCaller, @Query() query: ListDeadLettersQuery) {
    const { items, nextCursor } = await this.deadLetters.list(caller, query);
    return snakeList(
      items.map((letter) => DeadLetterResponse.from(letter)),
      nextCursor,
    );
  }
}
