import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Operator, OperatorRoutes, type ManagementCaller } from '@gatehouse/auth';
import { ApiCamelList } from '../http/lists/api-envelopes.js';
import { PickRoutes } from '../http/pick-routes.js';
import { ApiKeysController } from './api-keys.controller.js';
import { ListApiKeysQuery } from './dto/api-key.request.js';
import { ApiKeyResponse } from './dto/api-key.response.js';

@ApiTags('Operators')
@Controller('operator/v1/projects/:projectId/api-keys')
@OperatorRoutes()
export class ApiKeysOperatorController extends PickRoutes(ApiKeysController, [
  'create',
  'list',
  'get',
  'revoke',
  'rotate',
]) {
  @Get()
  @ApiOperation({
    operationId: 'apiKeys.list',
    summary: 'List API keys',
    description: 'Newest first. Revoked and expired keys are included unless `state` is set.',
  })
  @Operator('viewer')
  @ApiCamelList(ApiKeyResponse)
  override list(
    @CurrentCaller() caller: ManagementCaller,
    @Param('projectId') projectId: string,
    @Query() query: ListApiKeysQuery,
  ) {
    return super.list(caller, projectId, query);
  }
}
