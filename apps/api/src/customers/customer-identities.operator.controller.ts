import { Controller, Get, Param } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Operator, OperatorRoutes, type ManagementCaller } from '@gatehouse/auth';
import { parsePathUuid } from '@gatehouse/domain';
import { ApiCamelList } from '../http/lists/api-envelopes.js';
import { camelList } from '../http/lists/paging.js';
import { PickRoutes } from '../http/pick-routes.js';
import { CustomerIdentitiesController } from './customer-identities.controller.js';
import { OperatorIdentityResponse } from './dto/customer-identities.response.js';

@ApiTags('Operators')
@Controller('operator/v1/customers/:customerId/identities')
@OperatorRoutes()
export class CustomerIdentitiesOperatorController extends PickRoutes(CustomerIdentitiesController, [
  'remove',
]) {
  @Get()
  @ApiOperation({
    operationId: 'customers.listIdentities',
    summary: "List a customer's identities",
    description:
      'Returns the identity provider accounts with which the customer can sign in, with the provider names, newest first, all on one page.',
  })
  @Operator('viewer')
  @ApiCamelList(OperatorIdentityResponse)
  override async list(@CurrentCaller() { accessScope }: ManagementCaller, @Param('customerId') id: string) {
    const identities = await this.identities.list(accessScope, parsePathUuid(id));
    return camelList(
      identities.map((identity) => OperatorIdentityResponse.from(identity)),
      null,
    );
  }
}
