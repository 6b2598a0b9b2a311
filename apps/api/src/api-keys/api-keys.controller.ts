import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, SecretKey, type ManagingCaller } from '#auth';
import { pathUuid } from '#domain';
import { ApiCamelList } from '../http/api-envelopes.js';
import { ApiProblems } from '../http/api-problems.js';
import { camelList, PageQuery } from '../http/paging.js';
import { ApiKeysService } from './api-keys.service.js';
import { CreateApiKeyRequest, RotateApiKeyRequest } from './dto/api-key.request.js';
import { ApiKeyResponse, CreatedApiKeyResponse } from './dto/api-key.response.js';

@ApiTags('API keys')
@Controller('api/v1/projects/:projectId/api-keys')
export class ApiKeysController {
  constructor(private readonly apiKeys: ApiKeysService) {}

  /** Creates a key, which can do no more than the key that asks. Its value is in this answer only. */
  @Post()
  @SecretKey('api_key:write')
  @ApiCreatedResponse({ type: CreatedApiKeyResponse })
  @ApiProblems('insufficient_access', 'project_archived')
  async create(
    @CurrentCaller() caller: ManagingCaller,
    @Param('projectId') projectId: string,
    @Body() body: CreateApiKeyRequest,
  ): Promise<CreatedApiKeyResponse> {
    return CreatedApiKeyResponse.of(await this.apiKeys.create(caller, pathUuid(projectId), body));
  }

  /** A project's keys, newest first; those that have ended as well. */
  @Get()
  @SecretKey('api_key:read')
  @ApiCamelList(ApiKeyResponse)
  async list(
    @CurrentCaller() caller: ManagingCaller,
    @Param('projectId') projectId: string,
    @Query() query: PageQuery,
  ) {
    const { items, nextCursor } = await this.apiKeys.list(caller, pathUuid(projectId), query);
    return camelList(
      items.map((key) => ApiKeyResponse.from(key)),
      nextCursor,
    );
  }

  /** One key, without its value. */
  @Get(':keyId')
  @SecretKey('api_key:read')
  @ApiOkResponse({ type: ApiKeyResponse })
  async get(
    @CurrentCaller() caller: ManagingCaller,
    @Param('projectId') projectId: string,
    @Param('keyId') id: string,
  ): Promise<ApiKeyResponse> {
    return ApiKeyResponse.from(await this.apiKeys.get(caller, pathUuid(projectId), pathUuid(id)));
  }

  /** Revokes a key: it ends at once, everywhere. */
  @Delete(':keyId')
  @HttpCode(204)
  @SecretKey('api_key:write')
  @ApiNoContentResponse()
  @ApiProblems('insufficient_access', 'last_organization_key')
  revoke(
    @CurrentCaller() caller: ManagingCaller,
    @Param('projectId') projectId: string,
    @Param('keyId') id: string,
  ): Promise<void> {
    return this.apiKeys.revoke(caller, pathUuid(projectId), pathUuid(id));
  }

  /** Creates a key in the place of another, which lives on for the overlap. Its value is in this answer only. */
  @Post(':keyId/rotate')
  @SecretKey('api_key:write')
  @ApiCreatedResponse({ type: CreatedApiKeyResponse })
  @ApiProblems('insufficient_access', 'project_archived', 'api_key_not_rotatable')
  async rotate(
    @CurrentCaller() caller: ManagingCaller,
    @Param('projectId') projectId: string,
    @Param('keyId') id: string,
    @Body() body: RotateApiKeyRequest,
  ): Promise<CreatedApiKeyResponse> {
    const { overlapSeconds } = body;
    return CreatedApiKeyResponse.of(
      await this.apiKeys.rotate(caller, pathUuid(projectId), pathUuid(id), overlapSeconds),
    );
  }
}
