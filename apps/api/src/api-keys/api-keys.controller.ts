import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { CurrentCaller, SecretKey, type ManagementCaller, ReauthenticationRequired } from '@gatehouse/auth';
import { parsePathUuid } from '@gatehouse/domain';
import { ApiCamelList } from '../http/lists/api-envelopes.js';
import { ApiProblems } from '../http/problems/api-problems.js';
import { camelList, PageQuery } from '../http/lists/paging.js';
import { ApiKeysService } from './api-keys.service.js';
import { CreateApiKeyRequest, RotateApiKeyRequest } from './dto/api-key.request.js';
import { ApiKeyResponse, CreatedApiKeyResponse } from './dto/api-key.response.js';

@ApiTags('API keys')
@Controller('api/v1/projects/:projectId/api-keys')
export class ApiKeysController {
  constructor(private readonly apiKeys: ApiKeysService) {}

  @Post()
  @ApiOperation({
    operationId: 'apiKeys.create',
    summary: 'Create an API key',
    description:
      'The new key cannot have more permissions than the key that creates it. The value of the key is returned only in this response.',
  })
  @SecretKey('api_key:write')
  @ReauthenticationRequired()
  @ApiCreatedResponse({ type: CreatedApiKeyResponse })
  @ApiProblems('insufficient_access', 'project_archived')
  async create(
    @CurrentCaller() caller: ManagementCaller,
    @Param('projectId') projectId: string,
    @Body() body: CreateApiKeyRequest,
  ): Promise<CreatedApiKeyResponse> {
    return CreatedApiKeyResponse.fromCreated(
      await this.apiKeys.create(caller, parsePathUuid(projectId), body),
    );
  }

  @Get()
  @ApiOperation({
    operationId: 'apiKeys.list',
    summary: 'List API keys',
    description: 'Newest first. Revoked and expired keys are included.',
  })
  @SecretKey('api_key:read')
  @ApiCamelList(ApiKeyResponse)
  async list(
    @CurrentCaller() caller: ManagementCaller,
    @Param('projectId') projectId: string,
    @Query() query: PageQuery,
  ) {
    const { items, nextCursor } = await this.apiKeys.list(caller, parsePathUuid(projectId), query);
    return camelList(
      items.map((key) => ApiKeyResponse.from(key)),
      nextCursor,
    );
  }

  @Get(':keyId')
  @ApiOperation({
    operationId: 'apiKeys.get',
    summary: 'Get an API key',
    description: 'The value of the key is not included.',
  })
  @SecretKey('api_key:read')
  @ApiOkResponse({ type: ApiKeyResponse })
  async get(
    @CurrentCaller() caller: ManagementCaller,
    @Param('projectId') projectId: string,
    @Param('keyId') id: string,
  ): Promise<ApiKeyResponse> {
    return ApiKeyResponse.from(await this.apiKeys.get(caller, parsePathUuid(projectId), parsePathUuid(id)));
  }

  @Delete(':keyId')
  @ApiOperation({
    operationId: 'apiKeys.revoke',
    summary: 'Revoke an API key',
    description: 'Requests with the key are rejected on all servers within one second.',
  })
  @HttpCode(204)
  @SecretKey('api_key:write')
  @ApiNoContentResponse()
  @ApiProblems('insufficient_access', 'last_organization_key')
  revoke(
    @CurrentCaller() caller: ManagementCaller,
    @Param('projectId') projectId: string,
    @Param('keyId') id: string,
  ): Promise<void> {
    return this.apiKeys.revoke(caller, parsePathUuid(projectId), parsePathUuid(id));
  }

  @Post(':keyId/rotate')
  @ApiOperation({
    operationId: 'apiKeys.rotate',
    summary: 'Rotate an API key',
    description:
      'Creates a key with the same permissions. The previous key stays valid for `overlapSeconds`. The value of the new key is returned only in this response.',
  })
  @SecretKey('api_key:write')
  @ReauthenticationRequired()
  @ApiCreatedResponse({ type: CreatedApiKeyResponse })
  @ApiProblems('insufficient_access', 'project_archived', 'api_key_not_rotatable')
  async rotate(
    @CurrentCaller() caller: ManagementCaller,
    @Param('projectId') projectId: string,
    @Param('keyId') id: string,
    @Body() body: RotateApiKeyRequest,
  ): Promise<CreatedApiKeyResponse> {
    return CreatedApiKeyResponse.fromCreated(
      await this.apiKeys.rotate(caller, parsePathUuid(projectId), parsePathUuid(id), body),
    );
  }
}
