import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Operator, OperatorRoutes, type ManagementCaller } from '@gatehouse/auth';
import { webhookUserAgent } from '@gatehouse/platform';
import { ApiSnakeItem, ApiSnakeList } from '../http/lists/api-envelopes.js';
import { CountResponse } from '../http/lists/count.response.js';
import { snakeItem, snakeList } from '../http/lists/paging.js';
import { PickRoutes } from '../http/pick-routes.js';
import { ReadsFromReplica } from '../http/replica-reads.interceptor.js';
import { DeliveriesController } from './deliveries.controller.js';
import { DeliveriesService } from './deliveries.service.js';
import { DeliveryChainsService } from './delivery-chains.service.js';
import { DeliverySearchService } from './delivery-search.service.js';
import { DeliveryChainResponse } from './dto/delivery-chain.response.js';
import { CountDeliveriesQuery, SearchDeliveriesQuery } from './dto/delivery-search.request.js';
import { ListedDeliveryResponse, OperatorDeliveryResponse } from './dto/delivery.response.js';

@ApiTags('Operators')
@Controller('operator/v1/webhooks/deliveries')
@OperatorRoutes()
export class DeliveriesOperatorController extends PickRoutes(DeliveriesController, ['redeliver', 'discard']) {
  constructor(
    deliveries: DeliveriesService,
    private readonly search: DeliverySearchService,
    private readonly chains: DeliveryChainsService,
  ) {
    super(deliveries);
  }

  @Get()
  @ReadsFromReplica()
  @ApiOperation({
    operationId: 'deliveries.list',
    summary: 'List deliveries',
    description:
      'One item for each event and endpoint, and for each redelivery. A page may contain fewer deliveries than `limit`, or none, while `has_more` is true.',
  })
  @Operator('viewer')
  @ApiSnakeList(ListedDeliveryResponse)
  async listDeliveries(@CurrentCaller() caller: ManagementCaller, @Query() query: SearchDeliveriesQuery) {
    const { items, nextCursor } = await this.search.listDeliveries(caller, query);
    return snakeList(
      items.map((delivery) => ListedDeliveryResponse.fromListed(delivery)),
      nextCursor,
    );
  }

  @Get('count')
  @ReadsFromReplica()
  @ApiOperation({ operationId: 'deliveries.count', summary: 'Count deliveries' })
  @Operator('viewer')
  @ApiOkResponse({ type: CountResponse })
  async count(@CurrentCaller() caller: ManagementCaller, @Query() query: CountDeliveriesQuery) {
    return CountResponse.from(await this.search.countDeliveries(caller, query));
  }

  @Get(':deliveryId')
  @ApiOperation({
    operationId: 'deliveries.get',
    summary: 'Get a delivery',
    description:
      'Accepts the id of the delivery or of one of its attempts. The response contains all attempts and the current state of the endpoint.',
  })
  @Operator('viewer')
  @ApiSnakeItem(OperatorDeliveryResponse)
  override async get(@CurrentCaller() caller: ManagementCaller, @Param('deliveryId') id: string) {
    const { delivery, attempts } = await this.deliveries.get(caller, id);
    return snakeItem(OperatorDeliveryResponse.forOperator(delivery, attempts, webhookUserAgent));
  }

  @Get(':deliveryId/chain')
  @ApiOperation({
    operationId: 'deliveries.listRedeliveries',
    summary: "List a delivery's redeliveries",
    description: 'The chain of deliveries of one event to one endpoint, oldest first, with actor and reason.',
  })
  @Operator('viewer')
  @ApiOkResponse({ type: DeliveryChainResponse })
  getChain(@CurrentCaller() caller: ManagementCaller, @Param('deliveryId') id: string) {
    return this.chains.get(caller, id);
  }
}
