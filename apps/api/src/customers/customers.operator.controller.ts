import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Operator, OperatorRoutes, type ManagementCaller } from '@gatehouse/auth';
import { parsePathUuid } from '@gatehouse/domain';
import { ApiCamelList } from '../http/lists/api-envelopes.js';
import { ApiProblems } from '../http/problems/api-problems.js';
import { CountResponse } from '../http/lists/count.response.js';
import { ETag } from '../http/preconditions/entity-tag.js';
import { camelList } from '../http/lists/paging.js';
import { PickRoutes } from '../http/pick-routes.js';
import { ReadsFromReplica } from '../http/replica-reads.interceptor.js';
import { CustomersController } from './customers.controller.js';
import { CustomerAccessRequest } from './dto/customer-access.request.js';
import {
  CustomerResponse,
  customerVolatileFields,
  ListedCustomerResponse,
  OperatorCustomerResponse,
} from './dto/customer.response.js';
import { CountOperatorCustomersQuery, ListOperatorCustomersQuery } from './dto/list-customers.request.js';

@ApiTags('Operators')
@Controller('operator/v1/customers')
@OperatorRoutes()
export class CustomersOperatorController extends PickRoutes(CustomersController, [
  'create',
  'update',
  'export',
  'unlock',
  'requireReauthentication',
  'delete',
]) {
  @Get()
  @ReadsFromReplica()
  @ApiOperation({
    operationId: 'customers.list',
    summary: 'List customers',
    description:
      'Newest first. Includes the lock of each customer. With `lastLoginAfter` or `lastLoginBefore`, sorted by last sign-in, latest first; with `locked`, by the end of the lock, latest first; with a `q` that is matched as a prefix, alphabetically by the matching value. A page may contain fewer customers than `limit`, or none, while `hasMore` is true.',
  })
  @Operator('viewer')
  @ApiCamelList(ListedCustomerResponse)
  override async list(@CurrentCaller() caller: ManagementCaller, @Query() query: ListOperatorCustomersQuery) {
    const { items, nextCursor } = await this.directory.list(caller, query);
    const locks = await this.directory.findLocks(items);
    return camelList(
      items.map((customer) => ListedCustomerResponse.fromLocked(customer, locks.get(customer.id))),
      nextCursor,
    );
  }

  @Get('count')
  @ReadsFromReplica()
  @ApiOperation({ operationId: 'customers.count', summary: 'Count customers' })
  @Operator('viewer')
  @ApiOkResponse({ type: CountResponse })
  async count(@CurrentCaller() caller: ManagementCaller, @Query() query: CountOperatorCustomersQuery) {
    return CountResponse.from(await this.directory.count(caller, query));
  }

  @Get(':customerId')
  @ApiOperation({
    operationId: 'customers.get',
    summary: 'Get a customer',
    description:
      'Includes whether the customer has a password and is locked after failed sign-ins. Also returns customers of archived projects.',
  })
  @Operator('viewer')
  @ETag({ volatile: [...customerVolatileFields, 'lock', 'hasPassword'] })
  @ApiOkResponse({ type: OperatorCustomerResponse })
  override async get(
    @CurrentCaller() { accessScope }: ManagementCaller,
    @Param('customerId') id: string,
  ): Promise<OperatorCustomerResponse> {
    const details = await this.customers.get(accessScope, parsePathUuid(id));
    const locks = await this.directory.findLocks([details.customer]);
    return OperatorCustomerResponse.fromDetails(details, locks.get(details.customer.id));
  }

  @Post(':customerId/disable')
  @ApiOperation({
    operationId: 'customers.disable',
    summary: 'Disable a customer',
    description: 'Revokes all sessions of the customer and blocks new sign-ins.',
  })
  @HttpCode(200)
  @Operator('operator')
  @ApiOkResponse({ type: CustomerResponse })
  @ApiProblems('project_archived')
  override async disable(
    @CurrentCaller() { accessScope }: ManagementCaller,
    @Param('customerId') id: string,
    @Body() { reason }: CustomerAccessRequest = {},
  ): Promise<CustomerResponse> {
    return CustomerResponse.from(await this.customers.disable(accessScope, parsePathUuid(id), reason));
  }

  @Post(':customerId/enable')
  @ApiOperation({
    operationId: 'customers.enable',
    summary: 'Enable a customer',
    description: 'Allows a disabled customer to sign in again.',
  })
  @HttpCode(200)
  @Operator('operator')
  @ApiOkResponse({ type: CustomerResponse })
  @ApiProblems('project_archived')
  override async enable(
    @CurrentCaller() { accessScope }: ManagementCaller,
    @Param('customerId') id: string,
    @Body() { reason }: CustomerAccessRequest = {},
  ): Promise<CustomerResponse> {
    return CustomerResponse.from(await this.customers.enable(accessScope, parsePathUuid(id), reason));
  }
}
