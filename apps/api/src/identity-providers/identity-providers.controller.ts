import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { CurrentCaller, ReauthenticationRequired, SecretKey, type ManagementCaller } from '@gatehouse/auth';
import { parsePathUuid } from '@gatehouse/domain';
import { ApiCamelList } from '../http/lists/api-envelopes.js';
import { ApiProblems } from '../http/problems/api-problems.js';
import { ETag } from '../http/preconditions/entity-tag.js';
import { IfMatch, Precondition } from '../http/preconditions/precondition.js';
import { camelList, PageQuery } from '../http/lists/paging.js';
import { RateLimit } from '../http/limits/rate-limit.js';
import { ConnectionTestsService } from './connection-tests.service.js';
import {
  CreateIdentityProviderRequest,
  UpdateIdentityProviderRequest,
} from './dto/identity-provider.request.js';
import { ConnectionTestResponse, IdentityProviderResponse } from './dto/identity-provider.response.js';
import { IdentityProvidersService } from './identity-providers.service.js';

@ApiTags('Identity providers')
@Controller('api/v1/projects/:projectId/identity-providers')
export class IdentityProvidersController {
  constructor(
    protected readonly providers: IdentityProvidersService,
    protected readonly tests: ConnectionTestsService,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'identityProviders.list',
    summary: 'List identity providers',
    description: 'Newest first. A project has at most 50.',
  })
  @SecretKey('project:read')
  @ApiCamelList(IdentityProviderResponse)
  async list(
    @CurrentCaller() caller: ManagementCaller,
    @Param('projectId') projectId: string,
    @Query() query: PageQuery,
  ) {
    const { items, nextCursor } = await this.providers.list(caller, parsePathUuid(projectId), query);
    return camelList(items, nextCursor);
  }

  @Post()
  @ApiOperation({
    operationId: 'identityProviders.create',
    summary: 'Create an identity provider',
    description:
      "Register the `callbackUrl` in the response with the provider. If the provider's console requires this URL before it issues the client id, send placeholders as `clientId` and `clientSecret`, set `enabled` to false, and update them later.",
  })
  @SecretKey('project:write')
  @ReauthenticationRequired()
  @ApiCreatedResponse({ type: IdentityProviderResponse })
  @ApiProblems('project_archived', 'slug_taken', 'conflict')
  create(
    @CurrentCaller() caller: ManagementCaller,
    @Param('projectId') projectId: string,
    @Body() body: CreateIdentityProviderRequest,
  ): Promise<IdentityProviderResponse> {
    return this.providers.create(caller, parsePathUuid(projectId), body);
  }

  @Get(':providerId')
  @ApiOperation({
    operationId: 'identityProviders.get',
    summary: 'Get an identity provider',
    description: 'Secrets are not included.',
  })
  @SecretKey('project:read')
  @ETag()
  @ApiOkResponse({ type: IdentityProviderResponse })
  get(
    @CurrentCaller() caller: ManagementCaller,
    @Param('projectId') projectId: string,
    @Param('providerId') id: string,
  ): Promise<IdentityProviderResponse> {
    return this.providers.get(caller, parsePathUuid(projectId), parsePathUuid(id));
  }

  @Patch(':providerId')
  @ApiOperation({
    operationId: 'identityProviders.update',
    summary: 'Update an identity provider',
    description:
      'Changes only the fields in the request (JSON Merge Patch, RFC 7396). `null` resets a field to its default. `type`, `slug` and `issuer` cannot change.',
  })
  @SecretKey('project:write')
  @ReauthenticationRequired()
  @ETag()
  @ApiOkResponse({ type: IdentityProviderResponse })
  @ApiProblems('project_archived', 'conflict')
  update(
    @CurrentCaller() caller: ManagementCaller,
    @Param('projectId') projectId: string,
    @Param('providerId') id: string,
    @Body() body: UpdateIdentityProviderRequest,
    @IfMatch() precondition: Precondition,
  ): Promise<IdentityProviderResponse> {
    return this.providers.update(caller, parsePathUuid(projectId), parsePathUuid(id), body, precondition);
  }

  @Delete(':providerId')
  @ApiOperation({
    operationId: 'identityProviders.delete',
    summary: 'Delete an identity provider',
    description:
      'While the provider has linked identities, returns 409 `conflict` with their number. To turn the provider off instead, set `enabled` to false.',
  })
  @HttpCode(204)
  @SecretKey('project:write')
  @ApiNoContentResponse()
  @ApiProblems('project_archived', 'conflict')
  delete(
    @CurrentCaller() caller: ManagementCaller,
    @Param('projectId') projectId: string,
    @Param('providerId') id: string,
  ): Promise<void> {
    return this.providers.delete(caller, parsePathUuid(projectId), parsePathUuid(id));
  }

  @Post(':providerId/test')
  @ApiOperation({
    operationId: 'identityProviders.test',
    summary: "Check an identity provider's connection",
    description:
      'Sends requests to the provider: loads its discovery document and keys, and sends an invalid code to its token endpoint. Returns the results and, after a failure, the remedy. Only a sign-in can verify the callback URL.',
  })
  @HttpCode(200)
  @SecretKey('project:write')
  @RateLimit('provider-test')
  @ApiOkResponse({ type: ConnectionTestResponse })
  @ApiProblems('project_archived')
  async test(
    @CurrentCaller() caller: ManagementCaller,
    @Param('projectId') projectId: string,
    @Param('providerId') id: string,
  ): Promise<ConnectionTestResponse> {
    return ConnectionTestResponse.from(
      await this.tests.test(caller, parsePathUuid(projectId), parsePathUuid(id)),
    );
  }
}
