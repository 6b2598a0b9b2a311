import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, SecretKey, type ManagingCaller } from '#auth';
import { pathId } from '#domain';
import { ApiProblems } from '../http/api-problems.js';
import { ApiSnakeItem, ApiSnakeList } from '../http/api-envelopes.js';
import { snakeItem, snakeList } from '../http/paging.js';
import {
  CreateEndpointRequest,
  ListEndpointsQuery,
  UpdateEndpointRequest,
} from './dto/webhook-endpoint.request.js';
import { CreatedEndpointResponse, EndpointResponse } from './dto/webhook-endpoint.response.js';
import { WebhookEndpointsService } from './webhook-endpoints.service.js';

@ApiTags('Webhook endpoints')
@Controller('v1/webhooks/endpoints')
export class WebhookEndpointsController {
  constructor(protected readonly endpoints: WebhookEndpointsService) {}

  /** Creates an endpoint. Its signing secret is in this answer only. */
  @Post()
  @SecretKey('webhook:write')
  @ApiSnakeItem(CreatedEndpointResponse, ApiCreatedResponse)
  @ApiProblems('insufficient_access', 'not_found', 'project_archived', 'too_many_endpoints')
  async create(@CurrentCaller() caller: ManagingCaller, @Body() body: CreateEndpointRequest) {
    return snakeItem(CreatedEndpointResponse.of(await this.endpoints.create(caller, body)));
  }

  /** Lists endpoints, newest first. */
  @Get()
  @SecretKey('webhook:read')
  @ApiSnakeList(EndpointResponse)
  async list(@CurrentCaller() caller: ManagingCaller, @Query() query: ListEndpointsQuery) {
    const { items, nextCursor } = await this.endpoints.list(caller, query);
    return snakeList(
      items.map((endpoint) => EndpointResponse.from(endpoint)),
      nextCursor,
    );
  }

  /** One endpoint. */
  @Get(':endpointId')
  @SecretKey('webhook:read')
  @ApiSnakeItem(EndpointResponse)
  async get(@CurrentCaller() caller: ManagingCaller, @Param('endpointId') id: string) {
    return snakeItem(EndpointResponse.from(await this.endpoints.get(caller, pathId('endpoint', id))));
  }

  /** Changes the fields that are sent; the rest stays (RFC 7396). */
  @Patch(':endpointId')
  @SecretKey('webhook:write')
  @ApiSnakeItem(EndpointResponse)
  async update(
    @CurrentCaller() caller: ManagingCaller,
    @Param('endpointId') id: string,
    @Body() body: UpdateEndpointRequest,
  ) {
    return snakeItem(
      EndpointResponse.from(await this.endpoints.update(caller, pathId('endpoint', id), body)),
    );
  }

  /** Deletes an endpoint and cancels what is pending for it; its log stays. */
  @Delete(':endpointId')
  @HttpCode(204)
  @SecretKey('webhook:write')
  @ApiNoContentResponse()
  delete(@CurrentCaller() caller: ManagingCaller, @Param('endpointId') id: string): Promise<void> {
    return this.endpoints.delete(caller, pathId('endpoint', id));
  }
}
