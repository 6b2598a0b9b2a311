import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, MinimumRole, SecretKey, type ManagementCaller } from '@gatehouse/auth';
import { parsePathUuid } from '@gatehouse/domain';
import { FactorsResponse } from '../factors/dto/factors.response.js';
import { ApiProblems } from '../http/problems/api-problems.js';
import { CustomerFactorsService } from './customer-factors.service.js';
import { RemoveFactorRequest } from './dto/customer-factors.request.js';

@ApiTags('Customers')
@Controller('api/v1/customers/:customerId/factors')
export class CustomerFactorsController {
  constructor(private readonly factors: CustomerFactorsService) {}

  @Get()
  @ApiOperation({
    operationId: 'customers.listFactors',
    summary: "List a customer's second factors",
    description:
      'Returns the authenticators, the passkeys and the number of unused recovery codes. Contains no secrets.',
  })
  @SecretKey('customer:read')
  @ApiOkResponse({ type: FactorsResponse })
  async list(
    @CurrentCaller() { accessScope }: ManagementCaller,
    @Param('customerId') id: string,
  ): Promise<FactorsResponse> {
    return FactorsResponse.from(await this.factors.list(accessScope, parsePathUuid(id)));
  }

  @Post(':factorId/remove')
  @ApiOperation({
    operationId: 'customers.removeFactor',
    summary: 'Remove a second factor',
    description:
      'Removes an authenticator or a passkey, for customers who have lost it. Ends all sessions of the customer and notifies the customer by email.',
  })
  @HttpCode(204)
  @SecretKey('customer:write')
  @MinimumRole('operator')
  @ApiNoContentResponse()
  @ApiProblems('project_archived')
  async remove(
    @CurrentCaller() { accessScope }: ManagementCaller,
    @Param('customerId') id: string,
    @Param('factorId') factorId: string,
    @Body() { reason }: RemoveFactorRequest,
  ): Promise<void> {
    await this.factors.remove(accessScope, parsePathUuid(id), parsePathUuid(factorId), reason);
  }
}
