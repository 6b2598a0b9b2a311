import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Operator, OperatorRoutes, type ManagingCaller } from '#auth';
import { pathUuid } from '#domain';
import { CountResponse } from '../http/count.response.js';
import { CustomersController } from './customers.controller.js';
import { OperatorCustomerResponse } from './dto/customer.response.js';
import { CountCustomersQuery } from './dto/list-customers.request.js';

@ApiTags('Operators')
@Controller('operator/v1/customers')
@OperatorRoutes()
export class CustomersOperatorController extends CustomersController {
  /** How many customers match. */
  @Get('count')
  @Operator('viewer')
  @ApiOkResponse({ type: CountResponse })
  async count(@CurrentCaller() caller: ManagingCaller, @Query() query: CountCustomersQuery) {
    return CountResponse.from(await this.directory.count(caller, query));
  }

  /** One customer, also of an archived project, and whether they have a password. */
  @Get(':customerId')
  @Operator('viewer')
  @ApiOkResponse({ type: OperatorCustomerResponse })
  override async show(
    @CurrentCaller() { reach }: ManagingCaller,
    @Param('customerId') id: string,
  ): Promise<OperatorCustomerResponse> {
    const { customer, hasPassword } = await this.customers.get(reach, pathUuid(id));
    return OperatorCustomerResponse.of(customer, hasPassword);
  }
}
