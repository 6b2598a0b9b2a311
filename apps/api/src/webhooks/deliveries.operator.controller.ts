import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Operator, OperatorRoutes, type ManagingCaller } from '#auth';
import { webhookUserAgent } from '#platform';
import { ApiSnakeItem, ApiSnakeList } from '../http/api-envelopes.js';
import { CountResponse } from '../http/count.response.js';
import { snakeItem, snakeList } from '../http/paging.js';
import { DeliveriesController } from './deliveries.controller.js';
import { DeliveriesService } from './deliveries.service.js';
import { DeliveryChains } from './delivery-chains.service.js';
import { DeliverySearch } from './delivery-search.service.js';
import { DeliveryChainResponse } from './dto/delivery-chain.response.js';
import { CountDeliveriesQuery, SearchDeliveriesQuery } from './dto/delivery-search.request.js';
import { AttemptResponse, OperatorDeliveryResponse } from './dto/delivery.response.js';

@ApiTags('Operators')
@Controller('operator/v1/webhooks/deliveries')
@OperatorRoutes()
export class DeliveriesOperatorController extends DeliveriesController {
  constructor(
    deliveries: DeliveriesService,
    private readonly search: DeliverySearch,
    private readonly chains: DeliveryChains,
  ) {
    super(deliveries);
  }

  /** The log of delivery attempts, newest first. A page may hold less than `limit`, even nothing, while `has_more` is true. */
  @Get()
  @Operator('viewer')
  @ApiSnakeList(AttemptResponse)
  override async list(@CurrentCaller() caller: ManagingCaller, @Query() query: SearchDeliveriesQuery) {
    const { items, nextCursor } = await this.search.listAttempts(caller, query);
    return snakeList(
      items.map((attempt) => AttemptResponse.from(attempt)),
      nextCursor,
    );
  }

  /** How many attempts match. */
  @Get('count')
  @Operator('viewer')
  @ApiOkResponse({ type: CountResponse })
  async count(@CurrentCaller() caller: ManagingCaller, @Query() query: CountDeliveriesQuery) {
    return CountResponse.from(await this.search.countAttempts(caller, query));
  }

  /** One delivery with its attempts, by its own id or by that of an attempt, and how its endpoint is now. */
  @Get(':deliveryId')
  @Operator('viewer')
  @ApiSnakeItem(OperatorDeliveryResponse)
  override async get(@CurrentCaller() caller: ManagingCaller, @Param('deliveryId') id: string) {
    const { delivery, attempts } = await this.deliveries.get(caller, id);
    return snakeItem(OperatorDeliveryResponse.seen(delivery, attempts, webhookUserAgent));
  }

  /** The redeliveries that a delivery is one of, oldest first, with who made them and why. */
  @Get(':deliveryId/chain')
  @Operator('viewer')
  @ApiOkResponse({ type: DeliveryChainResponse })
  chain(@CurrentCaller() caller: ManagingCaller, @Param('deliveryId') id: string) {
    return this.chains.of(caller, id);
  }
}
