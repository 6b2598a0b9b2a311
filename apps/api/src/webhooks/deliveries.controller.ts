import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, SecretKey, type ManagingCaller } from '#auth';
import { webhookUserAgent } from '#platform';
import { ApiSnakeItem, ApiSnakeList } from '../http/api-envelopes.js';
import { ApiProblems } from '../http/api-problems.js';
import { snakeItem, snakeList } from '../http/paging.js';
import { DeliveriesService, type DeliveryWithAttempts } from './deliveries.service.js';
import { DiscardRequest, ListDeliveriesQuery, RedeliverRequest } from './dto/delivery.request.js';
import { AttemptResponse, DeliveryResponse } from './dto/delivery.response.js';

const item = ({ delivery, attempts }: DeliveryWithAttempts) =>
  snakeItem(DeliveryResponse.from(delivery, attempts, webhookUserAgent));

@ApiTags('Webhook deliveries')
@Controller('v1/webhooks/deliveries')
export class DeliveriesController {
  constructor(protected readonly deliveries: DeliveriesService) {}

  /**
   * The log of delivery attempts, newest first. With a filter that few match, a page may hold less than `limit`, even
   * nothing, while `has_more` is true.
   */
  @Get()
  @SecretKey('webhook:read')
  @ApiSnakeList(AttemptResponse)
  async list(@CurrentCaller() caller: ManagingCaller, @Query() query: ListDeliveriesQuery) {
    const { items, nextCursor } = await this.deliveries.list(caller, query);
    return snakeList(
      items.map((attempt) => AttemptResponse.from(attempt)),
      nextCursor,
    );
  }

  /** One delivery with its attempts, by its own id or by that of an attempt. */
  @Get(':deliveryId')
  @SecretKey('webhook:read')
  @ApiSnakeItem(DeliveryResponse)
  async get(@CurrentCaller() caller: ManagingCaller, @Param('deliveryId') id: string) {
    return item(await this.deliveries.get(caller, id));
  }

  /** Delivers the same event again, to the endpoint's current URL and with its current secret. */
  @Post(':deliveryId/redeliver')
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
    @CurrentCaller() caller: ManagingCaller,
    @Param('deliveryId') id: string,
    @Body() body: RedeliverRequest,
  ) {
    return item(await this.deliveries.redeliver(caller, id, body.reason ?? null));
  }

  /**
   * Sets a dead letter aside with a reason: it leaves the list of dead letters, and retention may remove it. It can
   * still be redelivered, though not in bulk.
   */
  @Post(':deliveryId/discard')
  @HttpCode(200)
  @SecretKey('webhook:redeliver')
  @ApiSnakeItem(DeliveryResponse)
  @ApiProblems('delivery_pending', 'already_redelivered', 'conflict')
  async discard(
    @CurrentCaller() caller: ManagingCaller,
    @Param('deliveryId') id: string,
    @Body() body: DiscardRequest,
  ) {
    return item(await this.deliveries.discard(caller, id, body.reason));
  }
}
