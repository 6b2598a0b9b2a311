import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Operator, type ManagementCaller } from '@gatehouse/auth';
import type { Replay } from '@gatehouse/persistence';
import { ActorNamesService } from '../audit/actor-names.service.js';
import { ApiSnakeItem, ApiSnakeList } from '../http/lists/api-envelopes.js';
import { ApiProblems } from '../http/problems/api-problems.js';
import { snakeItem, snakeList } from '../http/lists/paging.js';
import { ListReplaysQuery, ReplayRequest } from './dto/replay.request.js';
import { ReplayResponse } from './dto/replay.response.js';
import { ReplaysService } from './replays.service.js';

@ApiTags('Operators')
@Controller('operator/v1/webhooks')
export class ReplaysOperatorController {
  constructor(
    private readonly replays: ReplaysService,
    private readonly actors: ActorNamesService,
  ) {}

  @Post('deliveries/:deliveryId/replay')
  @ApiOperation({
    operationId: 'deliveries.replay',
    summary: "Send a delivery's event to another URL",
    description:
      'Sends the event once to the URL, without retries and without the custom headers of the endpoint. The delivery, its endpoint and their metrics do not change.',
  })
  @Operator('admin')
  @ApiSnakeItem(ReplayResponse, ApiCreatedResponse)
  @ApiProblems('payload_erased', 'conflict')
  async create(
    @CurrentCaller() caller: ManagementCaller,
    @Param('deliveryId') id: string,
    @Body() body: ReplayRequest,
  ) {
    const [replay] = await this.addNames([await this.replays.create(caller, id, body)]);
    return snakeItem(replay!);
  }

  @Get('replays')
  @ApiOperation({
    operationId: 'replays.list',
    summary: 'List replays',
    description: 'Newest first.',
  })
  @Operator('viewer')
  @ApiSnakeList(ReplayResponse)
  async list(@CurrentCaller() caller: ManagementCaller, @Query() query: ListReplaysQuery) {
    const { items, nextCursor } = await this.replays.list(caller, query);
    return snakeList(await this.addNames(items), nextCursor);
  }

  private async addNames(replays: Replay[]): Promise<ReplayResponse[]> {
    const names = await this.actors.resolve(replays.map(({ createdBy }) => createdBy));
    return replays.map((replay) => ReplayResponse.withNames(replay, names));
  }
}
