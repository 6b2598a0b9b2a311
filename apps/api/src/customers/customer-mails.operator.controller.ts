import { Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Operator, type OperatorCaller } from '@gatehouse/auth';
import { parsePathUuid } from '@gatehouse/domain';
import { ApiProblems } from '../http/problems/api-problems.js';
import { CustomerMailsService } from './customer-mails.service.js';

@ApiTags('Operators')
@Controller('operator/v1/customers')
@Operator('operator')
export class CustomerMailsOperatorController {
  constructor(private readonly mails: CustomerMailsService) {}

  @Post(':customerId/resend-verification')
  @ApiOperation({ operationId: 'customers.resendVerification', summary: 'Resend the verification email' })
  @HttpCode(202)
  @ApiAcceptedResponse({ schema: { type: 'object' } })
  @ApiProblems('conflict', 'project_archived', 'rate_limited')
  async sendVerification(@CurrentCaller() { accessScope }: OperatorCaller, @Param('customerId') id: string) {
    await this.mails.sendVerification(accessScope, parsePathUuid(id));
    return {};
  }

  @Post(':customerId/reset-password')
  @ApiOperation({
    operationId: 'customers.sendPasswordReset',
    summary: 'Send a password reset email',
    description: 'The current password stays valid until the customer chooses a new one.',
  })
  @HttpCode(202)
  @ApiAcceptedResponse({ schema: { type: 'object' } })
  @ApiProblems('method_not_enabled', 'conflict', 'project_archived', 'rate_limited')
  async sendPasswordReset(@CurrentCaller() { accessScope }: OperatorCaller, @Param('customerId') id: string) {
    await this.mails.sendPasswordReset(accessScope, parsePathUuid(id));
    return {};
  }

  @Post(':customerId/resend-invitation')
  @ApiOperation({
    operationId: 'customers.resendInvitation',
    summary: 'Resend an invitation',
    description: 'Only for customers who have no password.',
  })
  @HttpCode(202)
  @ApiAcceptedResponse({ schema: { type: 'object' } })
  @ApiProblems('method_not_enabled', 'conflict', 'project_archived', 'rate_limited')
  async sendInvitation(@CurrentCaller() { accessScope }: OperatorCaller, @Param('customerId') id: string) {
    await this.mails.sendInvitation(accessScope, parsePathUuid(id));
    return {};
  }
}
