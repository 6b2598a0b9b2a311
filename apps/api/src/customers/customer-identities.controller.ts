import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiNoContentResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, MinimumRole, SecretKey, type ManagementCaller } from '@gatehouse/auth';
import { parsePathUuid } from '@gatehouse/domain';
import { ApiCamelList } from '../http/lists/api-envelopes.js';
import { ApiProblems } from '../http/problems/api-problems.js';
import { camelList } from '../http/lists/paging.js';
import { IdentityResponse } from '../identities/dto/identity.response.js';
import { CustomerIdentitiesService } from './customer-identities.service.js';
import { RemoveIdentityRequest } from './dto/customer-identities.request.js';

@ApiTags('Customers')
@Controller('api/v1/customers/:customerId/identities')
export class CustomerIdentitiesController {
  constructor(protected readonly identities: CustomerIdentitiesService) {}

  @Get()
  @ApiOperation({
    operationId: 'customers.listIdentities',
    summary: "List a customer's identities",
    description:
      'Returns the identity provider accounts with which the customer can sign in, newest first, all on one page.',
  })
  @SecretKey('customer:read')
  @ApiCamelList(IdentityResponse)
  async list(@CurrentCaller() { accessScope }: ManagementCaller, @Param('customerId') id: string) {
    const identities = await this.identities.list(accessScope, parsePathUuid(id));
    return camelList(
      identities.map((identity) => IdentityResponse.from(identity)),
      null,
    );
  }

  @Post(':identityId/remove')
  @ApiOperation({
    operationId: 'customers.removeIdentity',
    summary: 'Remove an identity',
    description:
      'Removes an account at an identity provider, even if the customer has no other sign-in method. Ends all sessions of the customer and notifies the customer by email.',
  })
  @HttpCode(204)
  @SecretKey('customer:write')
  @MinimumRole('operator')
  @ApiNoContentResponse()
  @ApiProblems('project_archived')
  async remove(
    @CurrentCaller() { accessScope }: ManagementCaller,
    @Param('customerId') id: string,
    @Param('identityId') identityId: string,
    @Body() { reason }: RemoveIdentityRequest,
  ): Promise<void> {
    await this.identities.remove(accessScope, parsePathUuid(id), parsePathUuid(identityId), reason);
  }
}
