import { Body, Controller, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  CurrentCaller,
  InstallationAccessRequired,
  OrganizationKey,
  SecretKey,
  type ManagementCaller,
} from '@gatehouse/auth';
import { parsePathUuid } from '@gatehouse/domain';
import { ApiCamelList } from '../http/lists/api-envelopes.js';
import { ApiProblems } from '../http/problems/api-problems.js';
import { ETag } from '../http/preconditions/entity-tag.js';
import { IfMatch, Precondition } from '../http/preconditions/precondition.js';
import { camelList, PageQuery } from '../http/lists/paging.js';
import { CreateOrganizationRequest, UpdateOrganizationRequest } from './dto/organization.request.js';
import { OrganizationResponse } from './dto/organization.response.js';
import { OrganizationsService } from './organizations.service.js';

@ApiTags('Organizations')
@Controller('api/v1/organizations')
export class OrganizationsController {
  constructor(protected readonly organizations: OrganizationsService) {}

  @Get()
  @ApiOperation({
    operationId: 'organizations.list',
    summary: 'List organizations',
    description: 'Returns the organization of the key and the organizations that it created, newest first.',
  })
  @SecretKey('organization:read')
  @ApiCamelList(OrganizationResponse)
  async list(@CurrentCaller() caller: ManagementCaller, @Query() query: PageQuery) {
    const { items, nextCursor } = await this.organizations.list(caller, query);
    return camelList(
      items.map((organization) => OrganizationResponse.from(organization)),
      nextCursor,
    );
  }

  @Post()
  @ApiOperation({
    operationId: 'organizations.create',
    summary: 'Create an organization',
    description: 'The organization of the key becomes the parent.',
  })
  @OrganizationKey('organization:write')
  @InstallationAccessRequired()
  @ApiCreatedResponse({ type: OrganizationResponse })
  @ApiProblems('slug_taken')
  async create(
    @CurrentCaller() caller: ManagementCaller,
    @Body() body: CreateOrganizationRequest,
  ): Promise<OrganizationResponse> {
    return OrganizationResponse.from(await this.organizations.create(caller, body));
  }

  @Get(':organizationId')
  @ApiOperation({ operationId: 'organizations.get', summary: 'Get an organization' })
  @SecretKey('organization:read')
  @ETag()
  @ApiOkResponse({ type: OrganizationResponse })
  async get(
    @CurrentCaller() caller: ManagementCaller,
    @Param('organizationId') id: string,
  ): Promise<OrganizationResponse> {
    return OrganizationResponse.from(await this.organizations.get(caller, parsePathUuid(id)));
  }

  @Patch(':organizationId')
  @ApiOperation({
    operationId: 'organizations.update',
    summary: 'Update an organization',
    description: 'Changes only the fields in the request (JSON Merge Patch, RFC 7396).',
  })
  @OrganizationKey('organization:write')
  @ETag()
  @ApiOkResponse({ type: OrganizationResponse })
  async update(
    @CurrentCaller() caller: ManagementCaller,
    @Param('organizationId') id: string,
    @Body() body: UpdateOrganizationRequest,
    @IfMatch() precondition: Precondition,
  ): Promise<OrganizationResponse> {
    return OrganizationResponse.from(
      await this.organizations.update(caller, parsePathUuid(id), body, precondition),
    );
  }
}
