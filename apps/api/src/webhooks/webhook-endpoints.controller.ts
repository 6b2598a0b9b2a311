import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, SecretKey, type ManagementCaller } from '@gatehouse/auth';
import { parsePathId } from '@gatehouse/domain';
import { ApiProblems } from '../http/problems/api-problems.js';
import { ApiSnakeItem, ApiSnakeList } from '../http/lists/api-envelopes.js';
import { ETag } from '../http/preconditions/entity-tag.js';
import { IfMatch, Precondition } from '../http/preconditions/precondition.js';
import { snakeItem, snakeList } from '../http/lists/paging.js';
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

  @Post()
  @ApiOperation({
    operationId: 'webhookEndpoints.create',
    summary: 'Create a webhook endpoint',
    description: 'The signing secret is returned only in this response.',
  })
  @SecretKey('webhook:write')
  @ApiSnakeItem(CreatedEndpointResponse, ApiCreatedResponse)
  @ApiProblems('insufficient_access', 'not_found', 'project_archived', 'too_many_endpoints')
  async create(@CurrentCaller() caller: ManagementCaller, @Body() body: CreateEndpointRequest) {
    return snakeItem(CreatedEndpointResponse.fromCreated(await this.endpoints.create(caller, body)));
  }

  @Get()
  @ApiOperation({
    operationId: 'webhookEndpoints.list',
    summary: 'List webhook endpoints',
    description: 'Newest first.',
  })
  @SecretKey('webhook:read')
  @ApiSnakeList(EndpointResponse)
  async list(@CurrentCaller() caller: ManagementCaller, @Query() query: ListEndpointsQuery) {
    const { items, nextCursor } = await this.endpoints.list(caller, query);
    return snakeList(
      items.map((endpoint) => EndpointResponse.from(endpoint)),
      nextCursor,
    );
  }

  @Get(':endpointId')
  @ApiOperation({ operationId: 'webhookEndpoints.get', summary: 'Get a webhook endpoint' })
  @SecretKey('webhook:read')
  @ETag()
  @ApiSnakeItem(EndpointResponse)
  async get(@CurrentCaller() caller: ManagementCaller, @Param('endpointId') id: string) {
    return snakeItem(EndpointResponse.from(await this.endpoints.get(caller, parsePathId('endpoint', id))));
  }

  @Patch(':endpointId')
  @ApiOperation({
    operationId: 'webhookEndpoints.update',
    summary: 'Update a webhook endpoint',
    description: 'Changes only the fields in the request (JSON Merge Patch, RFC 7396).',
  })
  @SecretKey('webhook:write')
  @ETag()
  @ApiProblems('conflict')
  @ApiSnakeItem(EndpointResponse)
  async update(
    @CurrentCaller() caller: ManagementCaller,
    @Param('endpointId') id: string,
    @Body() body: UpdateEndpointRequest,
    @IfMatch() precondition: Precondition,
  ) {
    const endpoint = await this.endpoints.update(caller, parsePathId('endpoint', id), body, precondition);
    return snakeItem(EndpointResponse.from(endpoint));
  }

  @Delete(':endpointId')
  @ApiOperation({
    operationId: 'webhookEndpoints.delete',
    summary: 'Delete a webhook endpoint',
    description: 'Cancels pending deliveries. Past deliveries remain in the delivery log.',
  })
  @HttpCode(204)
  @SecretKey('webhook:write')
  @ApiNoContentResponse()
  delete(@CurrentCaller() caller: ManagementCaller, @Param('endpointId') id: string): Promise<void> {
    return this.endpoints.delete(caller, parsePathId('endpoint', id));
  }
}
