import { Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, SecretKey, type ManagementCaller } from '@gatehouse/auth';
import { parsePathUuid } from '@gatehouse/domain';
import { ApiProblems } from '../http/problems/api-problems.js';
import { CustomerMailsService } from './customer-mails.service.js';

@ApiTags('Customers')
@Controller('api/v1/customers')
export class CustomerMailsController {
  constructor(private readonly mails: CustomerMailsService) {}

  @Post(':customerId/invite')
  @ApiOperation({
    operationId: 'customers.invite',
    summary: 'Resend an invitation',
    description:
      'Sends an email with a link to set the first password. Older invitation links stop working. Returns 409 `conflict` if the customer has a password or is disabled.',
  })
  @HttpCode(202)
  @SecretKey('customer:write')
  @ApiAcceptedResponse({ schema: { type: 'object' } })
  @ApiProblems('method_not_enabled', 'sso_required', 'conflict', 'project_archived')
  async invite(@CurrentCaller() { accessScope }: ManagementCaller, @Param('customerId') id: string) {
    await this.mails.sendInvitation(accessScope, parsePathUuid(id));
    return {};
  }
}
