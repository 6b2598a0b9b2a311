import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, MinimumRole, SecretKey, type ManagingCaller } from '#auth';
import { pathUuid } from '#domain';
import { ApiCamelList } from '../http/api-envelopes.js';
import { ApiProblems } from '../http/api-problems.js';
import { CurrentClient } from '../http/current-client.js';
import { camelList } from '../http/paging.js';
import type { Client } from '../http/request-context.js';
import { CustomerChanges } from './customer-changes.service.js';
import { CustomerDirectory } from './customer-directory.service.js';
import { CustomerExport } from './customer-export.service.js';
import { CustomersService } from './customers.service.js';
import { CustomerExportResponse } from './dto/customer-export.response.js';
import { CreateCustomerRequest } from './dto/customer.request.js';
import { CustomerResponse } from './dto/customer.response.js';
import { ListCustomersQuery } from './dto/list-customers.request.js';
import { UpdateCustomerRequest } from './dto/update-customer.request.js';

@ApiTags('Customers')
@Controller('api/v1/customers')
export class CustomersController {
  constructor(
    protected readonly customers: CustomersService,
    protected readonly directory: CustomerDirectory,
    private readonly changes: CustomerChanges,
    private readonly exports: CustomerExport,
  ) {}

  /**
   * Lists customers, newest first; with `lastLoginAfter` or `lastLoginBefore` by their last login, latest first; with
   * `q` in the alphabetical order of what begins with it. A page may hold fewer than `limit`, even none, while
   * `hasMore` is true: it looks at a bounded number of customers, and the next page goes on from there. Those of
   * archived projects are in it.
   */
  @Get()
  @SecretKey('customer:read')
  @ApiCamelList(CustomerResponse)
  async list(@CurrentCaller() caller: ManagingCaller, @Query() query: ListCustomersQuery) {
    const { items, nextCursor } = await this.directory.list(caller, query);
    return camelList(
      items.map((customer) => CustomerResponse.from(customer)),
      nextCursor,
    );
  }

  /** Creates a customer, and mails them an invitation if asked to. */
  @Post()
  @SecretKey('customer:write')
  @ApiCreatedResponse({ type: CustomerResponse })
  @ApiProblems(
    'not_found',
    'email_already_registered',
    'external_id_taken',
    'project_archived',
    'weak_password',
    'overloaded',
  )
  async create(
    @CurrentCaller() caller: ManagingCaller,
    @Body() body: CreateCustomerRequest,
    @CurrentClient() client: Client,
  ): Promise<CustomerResponse> {
    return CustomerResponse.from(await this.customers.create(caller, body, client));
  }

  /** One customer, also of an archived project. */
  @Get(':customerId')
  @SecretKey('customer:read')
  @ApiOkResponse({ type: CustomerResponse })
  async show(
    @CurrentCaller() { reach }: ManagingCaller,
    @Param('customerId') id: string,
  ): Promise<CustomerResponse> {
    return CustomerResponse.from((await this.customers.get(reach, pathUuid(id))).customer);
  }

  /**
   * Changes the fields that are sent; the rest stays (RFC 7396). A new e-mail address takes effect at once, without a
   * confirmation, and voids the links that were mailed to the one before.
   */
  @Patch(':customerId')
  @SecretKey('customer:write')
  @ApiOkResponse({ type: CustomerResponse })
  @ApiProblems('email_already_registered', 'external_id_taken', 'project_archived')
  async update(
    @CurrentCaller() { reach }: ManagingCaller,
    @Param('customerId') id: string,
    @Body() body: UpdateCustomerRequest,
  ): Promise<CustomerResponse> {
    return CustomerResponse.from(await this.changes.update(reach, pathUuid(id), body));
  }

  /** Everything that is kept about one customer, without passwords, links and texts of mails. */
  @Get(':customerId/export')
  @SecretKey('customer:read')
  @ApiOkResponse({ type: CustomerExportResponse })
  export(
    @CurrentCaller() caller: ManagingCaller,
    @Param('customerId') id: string,
  ): Promise<CustomerExportResponse> {
    return this.exports.of(caller, pathUuid(id));
  }

  /** Keeps a customer out and ends their sessions. */
  @Post(':customerId/disable')
  @HttpCode(200)
  @SecretKey('customer:write')
  @MinimumRole('operator')
  @ApiOkResponse({ type: CustomerResponse })
  @ApiProblems('project_archived')
  async disable(
    @CurrentCaller() { reach }: ManagingCaller,
    @Param('customerId') id: string,
  ): Promise<CustomerResponse> {
    return CustomerResponse.from(await this.customers.disable(reach, pathUuid(id)));
  }

  /** Lets a customer in again. */
  @Post(':customerId/enable')
  @HttpCode(200)
  @SecretKey('customer:write')
  @MinimumRole('operator')
  @ApiOkResponse({ type: CustomerResponse })
  @ApiProblems('project_archived')
  async enable(
    @CurrentCaller() { reach }: ManagingCaller,
    @Param('customerId') id: string,
  ): Promise<CustomerResponse> {
    return CustomerResponse.from(await this.customers.enable(reach, pathUuid(id)));
  }

  /** Forgets a customer's failed logins, so that they may try again at once. */
  @Post(':customerId/unlock')
  @HttpCode(200)
  @SecretKey('customer:write')
  @MinimumRole('operator')
  @ApiOkResponse({ type: CustomerResponse })
  @ApiProblems('project_archived')
  async unlock(
    @CurrentCaller() { reach }: ManagingCaller,
    @Param('customerId') id: string,
  ): Promise<CustomerResponse> {
    return CustomerResponse.from(await this.customers.unlock(reach, pathUuid(id)));
  }

  /**
   * Deletes a customer with everything that is only theirs; the address is free again. Events about them keep the
   * customer's id alone, and cannot be delivered again. In an archived project, too.
   */
  @Delete(':customerId')
  @HttpCode(204)
  @SecretKey('customer:delete')
  @ApiNoContentResponse()
  async delete(@CurrentCaller() { reach }: ManagingCaller, @Param('customerId') id: string): Promise<void> {
    await this.customers.delete(reach, pathUuid(id));
  }
}
