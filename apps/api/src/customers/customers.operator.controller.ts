import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Operator, OperatorRoutes, type ManagementCaller } from '@gatehouse/auth';
import { parsePathUuid } from '@gatehouse/domain';
import { CountResponse } from '../http/count.response.js';
import { PickRoutes } from '../http/pick-routes.js';
import { ReadsFromReplica } from '../http/replica-reads.interceptor.js';
import { CustomersController } from './customers.controller.js';
import { OperatorCustomerResponse } from './dto/customer.response.js';
import { CountCustomersQuery } from './dto/list-customers.request.js';

@ApiTags('Operators')
@Controller('operator/v1/customers')
@OperatorRoutes()
export class CustomersOperatorController extends PickRoutes(CustomersController, [
  'list',
  'create',
  'update',
  'export',
  'disable',
  'enable',
  'unlock',
  'requireReauthentication',
  'delete',
]) {
  @Get('count')
  @ReadsFromReplica()
  @ApiOperation({ operationId: 'customers.count', summary: 'Count customers' })
  @Operator('viewer')
  @ApiOkResponse({ type: CountResponse })
  async count(@CurrentCaller() caller: ManagementCaller, @Query() query: CountCustomersQuery) {
    return CountResponse.from(await this.directory.count(caller, query));
  }

  @Get(':customerId')
  @ApiOperation({
    operationId: 'customers.get',
    summary: 'Get a customer',
    description:
      'The response shows whether the customer has a password. Also returns customers of archived projects.',
  })
  @Operator('viewer')
  @ApiOkResponse({ type: OperatorCustomerResponse })
  override async get(
    @CurrentCaller() { reach }: ManagementCaller,
    @Param('customerId') id: string,
  ): Promise<OperatorCustomerResponse> {
    const { customer, hasPassword } = await this.customers.get(reach, parsePathUuid(id));
    return OperatorCustomerResponse.fromCustomer(customer, hasPassword);
  }
}
