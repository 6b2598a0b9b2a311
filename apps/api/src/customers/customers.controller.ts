import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { CurrentCaller, MinimumRole, SecretKey, type ManagementCaller } from '@gatehouse/auth';
import { parsePathUuid } from '@gatehouse/domain';
import { ApiCamelList } from '../http/lists/api-envelopes.js';
import { ApiProblems } from '../http/problems/api-problems.js';
import { BulkMemory } from '../http/bodies/bulk-memory.js';
import { CurrentClient } from '../http/current-client.js';
import { ETag } from '../http/preconditions/entity-tag.js';
import { camelList } from '../http/lists/paging.js';
import { IfMatch, Precondition } from '../http/preconditions/precondition.js';
import { ReadsFromReplica } from '../http/replica-reads.interceptor.js';
import type { Client } from '../http/request-context.js';
import { DOCUMENT_BYTES } from '../http/bodies/request-memory.js';
import { CustomerChangesService } from './customer-changes.service.js';
import { CustomerDirectoryService } from './customer-directory.service.js';
import { CustomerExportService } from './customer-export.service.js';
import { CustomersService } from './customers.service.js';
import { CustomerExportResponse } from './dto/customer-export.response.js';
import { CreateCustomerRequest } from './dto/customer.request.js';
import { CustomerResponse, customerVolatileFields } from './dto/customer.response.js';
import { ListCustomersQuery } from './dto/list-customers.request.js';
import { UpdateCustomerRequest } from './dto/update-customer.request.js';

@ApiTags('Customers')
@Controller('api/v1/customers')
export class CustomersController {
  constructor(
    protected readonly customers: CustomersService,
    protected readonly directory: CustomerDirectoryService,
    private readonly changes: CustomerChangesService,
    private readonly exports: CustomerExportService,
  ) {}

  @Get()
  @ReadsFromReplica()
  @ApiOperation({
    operationId: 'customers.list',
    summary: 'List customers',
    description:
      'Newest first. With `lastLoginAfter` or `lastLoginBefore`, sorted by last sign-in, latest first. With `q`, sorted alphabetically by the matching name or email address. A page may contain fewer customers than `limit`, or none, while `hasMore` is true. Customers of archived projects are included.',
  })
  @SecretKey('customer:read')
  @ApiCamelList(CustomerResponse)
  async list(@CurrentCaller() caller: ManagementCaller, @Query() query: ListCustomersQuery) {
    const { items, nextCursor } = await this.directory.list(caller, query);
    return camelList(
      items.map((customer) => CustomerResponse.from(customer)),
      nextCursor,
    );
  }

  @Post()
  @ApiOperation({
    operationId: 'customers.create',
    summary: 'Create a customer',
    description:
      'Sends an invitation email if `sendInvite` is true. An address in a domain that requires an identity provider cannot be invited (`sso_required`), because its owner signs in without a password.',
  })
  @SecretKey('customer:write')
  @ApiCreatedResponse({ type: CustomerResponse })
  @ApiProblems(
    'method_not_enabled',
    'sso_required',
    'not_found',
    'email_already_registered',
    'external_id_taken',
    'conflict',
    'project_archived',
    'weak_password',
  )
  async create(
    @CurrentCaller() caller: ManagementCaller,
    @Body() body: CreateCustomerRequest,
    @CurrentClient() client: Client,
  ): Promise<CustomerResponse> {
    return CustomerResponse.from(await this.customers.create(caller, body, client));
  }

  @Get(':customerId')
  @ApiOperation({
    operationId: 'customers.get',
    summary: 'Get a customer',
    description: 'Also returns customers of archived projects.',
  })
  @SecretKey('customer:read')
  @ETag({ volatile: customerVolatileFields })
  @ApiOkResponse({ type: CustomerResponse })
  async get(
    @CurrentCaller() { accessScope }: ManagementCaller,
    @Param('customerId') id: string,
  ): Promise<CustomerResponse> {
    return CustomerResponse.from((await this.customers.get(accessScope, parsePathUuid(id))).customer);
  }

  @Patch(':customerId')
  @ApiOperation({
    operationId: 'customers.update',
    summary: 'Update a customer',
    description:
      'Changes only the fields in the request (JSON Merge Patch, RFC 7396). A new email address takes effect immediately, without confirmation, and invalidates links that were sent to the previous address.',
  })
  @SecretKey('customer:write')
  @ETag({ volatile: customerVolatileFields })
  @ApiOkResponse({ type: CustomerResponse })
  @ApiProblems('email_already_registered', 'external_id_taken', 'project_archived', 'conflict')
  async update(
    @CurrentCaller() { accessScope }: ManagementCaller,
    @Param('customerId') id: string,
    @Body() body: UpdateCustomerRequest,
    @IfMatch() precondition: Precondition,
  ): Promise<CustomerResponse> {
    return CustomerResponse.from(
      await this.changes.update(accessScope, parsePathUuid(id), body, precondition),
    );
  }

  @Get(':customerId/export')
  @ApiOperation({
    operationId: 'customers.export',
    summary: "Export a customer's data",
    description:
      'Returns all data stored about one customer, except passwords, links and the text of emails.',
  })
  @SecretKey('customer:read')
  @BulkMemory(DOCUMENT_BYTES)
  @ApiOkResponse({ type: CustomerExportResponse })
  export(
    @CurrentCaller() caller: ManagementCaller,
    @Param('customerId') id: string,
  ): Promise<CustomerExportResponse> {
    return this.exports.export(caller, parsePathUuid(id));
  }

  @Post(':customerId/disable')
  @ApiOperation({
    operationId: 'customers.disable',
    summary: 'Disable a customer',
    description: 'Revokes all sessions of the customer and blocks new sign-ins.',
  })
  @HttpCode(200)
  @SecretKey('customer:write')
  @MinimumRole('operator')
  @ApiOkResponse({ type: CustomerResponse })
  @ApiProblems('project_archived')
  async disable(
    @CurrentCaller() { accessScope }: ManagementCaller,
    @Param('customerId') id: string,
  ): Promise<CustomerResponse> {
    return CustomerResponse.from(await this.customers.disable(accessScope, parsePathUuid(id)));
  }

  @Post(':customerId/enable')
  @ApiOperation({
    operationId: 'customers.enable',
    summary: 'Enable a customer',
    description: 'Allows a disabled customer to sign in again.',
  })
  @HttpCode(200)
  @SecretKey('customer:write')
  @MinimumRole('operator')
  @ApiOkResponse({ type: CustomerResponse })
  @ApiProblems('project_archived')
  async enable(
    @CurrentCaller() { accessScope }: ManagementCaller,
    @Param('customerId') id: string,
  ): Promise<CustomerResponse> {
    return CustomerResponse.from(await this.customers.enable(accessScope, parsePathUuid(id)));
  }

  @Post(':customerId/require-reauthentication')
  @ApiOperation({
    operationId: 'customers.requireReauthentication',
    summary: 'Require reauthentication',
    description:
      'Until the customer has signed in again or used `POST /api/v1/me/reauthenticate`, no session can be refreshed, and the account cannot be changed.',
  })
  @HttpCode(200)
  @SecretKey('customer:write')
  @MinimumRole('operator')
  @ApiOkResponse({ type: CustomerResponse })
  @ApiProblems('project_archived')
  async requireReauthentication(
    @CurrentCaller() { accessScope }: ManagementCaller,
    @Param('customerId') id: string,
  ): Promise<CustomerResponse> {
    return CustomerResponse.from(
      await this.customers.requireReauthentication(accessScope, parsePathUuid(id)),
    );
  }

  @Post(':customerId/unlock')
  @ApiOperation({
    operationId: 'customers.unlock',
    summary: 'Unlock a customer',
    description: 'Resets the count of failed sign-ins, so that the customer can try again immediately.',
  })
  @HttpCode(200)
  @SecretKey('customer:write')
  @MinimumRole('operator')
  @ApiOkResponse({ type: CustomerResponse })
  @ApiProblems('project_archived')
  async unlock(
    @CurrentCaller() { accessScope }: ManagementCaller,
    @Param('customerId') id: string,
  ): Promise<CustomerResponse> {
    return CustomerResponse.from(await this.customers.unlock(accessScope, parsePathUuid(id)));
  }

  @Delete(':customerId')
  @ApiOperation({
    operationId: 'customers.delete',
    summary: 'Delete a customer',
    description:
      'Deletes the customer and all data that belongs only to the customer. The email address becomes available again. Existing events retain only the id of the customer and can no longer be redelivered. Customers of archived projects can be deleted as well.',
  })
  @HttpCode(204)
  @SecretKey('customer:delete')
  @ApiNoContentResponse()
  async delete(
    @CurrentCaller() { accessScope }: ManagementCaller,
    @Param('customerId') id: string,
  ): Promise<void> {
    await this.customers.delete(accessScope, parsePathUuid(id));
  }
}
