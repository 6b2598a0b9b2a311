import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, SecretKey, type ManagementCaller } from '@gatehouse/auth';
import { webhookUserAgent } from '@gatehouse/platform';
import { ApiSnakeItem, ApiSnakeList } from '../http/lists/api-envelopes.js';
import { ApiProblems } from '../http/problems/api-problems.js';
import { snakeItem, snakeList } from '../http/lists/paging.js';
import { ReadsFromReplica } from '../http/replica-reads.interceptor.js';
import { DeliveriesService, type DeliveryWithAttempts } from './deliveries.service.js';
import { DiscardRequest, ListDeliveriesQuery, RedeliverRequest } from './dto/delivery.request.js';
import { AttemptResponse, DeliveryResponse } from './dto/delivery.response.js';

const toItem = ({ delivery, attempts }: DeliveryWithAttempts) =>
  snakeItem(DeliveryResponse.from(delivery, attempts, webhookUserAgent));

@ApiTags('Webhook deliveries')
@Controller('v1/webhooks/deliveries')
export class DeliveriesController {
  constructor(protected readonly deliveries: DeliveriesService) {}

  @Get()
  @ReadsFromReplica()
  @ApiOperation({
    operationId: 'deliveries.listAttempts',
    summary: 'List delivery attempts',
    description:
      'Newest first. A page may contain fewer attempts than `limit`, or none, while `has_more` is true.',
  })
  @SecretKey('webhook:read')
  @ApiSnakeList(AttemptResponse)
  async list(@CurrentCaller() caller: ManagementCaller, @Query() query: ListDeliveriesQuery) {
    const { items, nextCursor } = await this.deliveries.list(caller, query);
    return snakeList(
      items.map((attempt) => AttemptResponse.from(attempt)),
      nextCursor,
    );
  }

  @Get(':deliveryId')
  @ApiOperation({
    operationId: 'deliveries.get',
    summary: 'Get a delivery',
    description:
      'Accepts the id of the delivery or of one of its attempts. The response contains all attempts.',
  })
  @SecretKey('webhook:read')
  @ApiSnakeItem(DeliveryResponse)
  async get(@CurrentCaller() caller: ManagementCaller, @Param('deliveryId') id: string) {
    return toItem(await this.deliveries.get(caller, id));
  }

  @Post(':deliveryId/redeliver')
  @ApiOperation({
    operationId: 'deliveries.redeliver',
    summary: 'Redeliver an event',
    description:
      'Delivers the same event to the current URL of the endpoint, signed with the current secret. With `enable_endpoint`, a disabled endpoint is enabled first, which also requires the `webhook:write` scope.',
  })
  @HttpCode(202)
  @SecretKey('webhook:redeliver')
  @ApiSnakeItem(DeliveryResponse, ApiAcceptedResponse)
  @ApiProblems(
    'delivery_pending',
    'already_redelivered',
    'endpoint_disabled',
    'endpoint_deleted',
    'payload_erased',
  )
  async redeliver(
    @CurrentCaller() caller: ManagementCaller,
    @Param('deliveryId') id: string,
    @Body() body: RedeliverRequest,
  ) {
    return toItem(await this.deliveries.redeliver(caller, id, body));
  }

  @Post(':deliveryId/discard')
  @ApiOperation({
    operationId: 'deliveries.discard',
    summary: 'Discard a dead letter',
    description:
      'Removes the delivery from the list of dead letters and records the reason. Until retention deletes it, it can still be redelivered, but not in bulk.',
  })
  @HttpCode(200)
  @SecretKey('webhook:redeliver')
  @ApiSnakeItem(DeliveryResponse)
  @ApiProblems('delivery_pending', 'already_redelivered', 'conflict')
  async discard(
    @CurrentCaller() caller: ManagementCaller,
    @Param('deliveryId') id: string,
    @Body() body: DiscardRequest,
  ) {
    return toItem(await this.deliveries.discard(caller, id, body.reason));
  }
}
