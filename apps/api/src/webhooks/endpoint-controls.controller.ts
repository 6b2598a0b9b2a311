import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, MinimumRole, SecretKey, type ManagingCaller } from '#auth';
import { pathId } from '#domain';
import { webhookUserAgent } from '#platform';
import { ApiSnakeItem } from '../http/api-envelopes.js';
import { ApiProblems } from '../http/api-problems.js';
import { snakeItem } from '../http/paging.js';
import { DeliveryResponse } from './dto/delivery.response.js';
import { EndpointStatsQuery } from './dto/endpoint-stats.request.js';
import { EndpointStatsResponse } from './dto/endpoint-stats.response.js';
import { CreatedEndpointResponse, EndpointResponse } from './dto/webhook-endpoint.response.js';
import { EndpointControlsService } from './endpoint-controls.service.js';
import { EndpointStatsService } from './endpoint-stats.service.js';

@ApiTags('Webhook endpoints')
@Controller('v1/webhooks/endpoints')
export class EndpointControlsController {
  constructor(
    private readonly controls: EndpointControlsService,
    private readonly stats: EndpointStatsService,
  ) {}

  /** Delivers to an endpoint again, from the next event on. Enabling an enabled one changes nothing. */
  @Post(':endpointId/enable')
  @HttpCode(200)
  @SecretKey('webhook:write')
  @MinimumRole('operator')
  @ApiSnakeItem(EndpointResponse)
  async enable(@CurrentCaller() caller: ManagingCaller, @Param('endpointId') id: string) {
    return snakeItem(EndpointResponse.from(await this.controls.enable(caller, pathId('endpoint', id))));
  }

  /**
   * Delivers nothing more to an endpoint and cancels what is pending for it; its log stays. Events are not kept back
   * for it meanwhile. Disabling a disabled one changes nothing, its `disabled_reason` included.
   */
  @Post(':endpointId/disable')
  @HttpCode(200)
  @SecretKey('webhook:write')
  @MinimumRole('operator')
  @ApiSnakeItem(EndpointResponse)
  async disable(@CurrentCaller() caller: ManagingCaller, @Param('endpointId') id: string) {
    return snakeItem(EndpointResponse.from(await this.controls.disable(caller, pathId('endpoint', id))));
  }

  /**
   * Gives an endpoint a new signing secret, which is in this answer only. For 24 hours every delivery is signed with
   * the one before as well: `webhook-signature` then holds two signatures, the newest first. A second rotation within
   * this time ends the oldest secret at once.
   */
  @Post(':endpointId/rotate-secret')
  @HttpCode(200)
  @SecretKey('webhook:write')
  @ApiSnakeItem(CreatedEndpointResponse)
  async rotateSecret(@CurrentCaller() caller: ManagingCaller, @Param('endpointId') id: string) {
    return snakeItem(
      CreatedEndpointResponse.of(await this.controls.rotateSecret(caller, pathId('endpoint', id))),
    );
  }

  /**
   * Sends a `webhook.test` event to this endpoint alone, whether or not its `events` name it. The answer is the
   * delivery, which is signed, retried and logged like any other.
   */
  @Post(':endpointId/test')
  @HttpCode(202)
  @SecretKey('webhook:write')
  @MinimumRole('operator')
  @ApiSnakeItem(DeliveryResponse, ApiAcceptedResponse)
  @ApiProblems('endpoint_disabled')
  async test(@CurrentCaller() caller: ManagingCaller, @Param('endpointId') id: string) {
    const { delivery, attempts } = await this.controls.test(caller, pathId('endpoint', id));
    return snakeItem(DeliveryResponse.from(delivery, attempts, webhookUserAgent));
  }

  /** How the attempts at an endpoint went. Of very many, only the newest are counted: see `truncated`. */
  @Get(':endpointId/stats')
  @SecretKey('webhook:read')
  @ApiSnakeItem(EndpointStatsResponse)
  async show(
    @CurrentCaller() caller: ManagingCaller,
    @Param('endpointId') id: string,
    @Query() query: EndpointStatsQuery,
  ) {
    return snakeItem(EndpointStatsResponse.from(await this.stats.of(caller, pathId('endpoint', id), query)));
  }
}
