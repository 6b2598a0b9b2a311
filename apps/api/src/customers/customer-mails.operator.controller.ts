import { Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Operator, type OperatorCaller } from '#auth';
import { pathUuid } from '#domain';
import { ApiProblems } from '../http/api-problems.js';
import { CustomerMails } from './customer-mails.service.js';

@ApiTags('Operators')
@Controller('operator/v1/customers')
@Operator('operator')
export class CustomerMailsOperatorController {
  constructor(private readonly mails: CustomerMails) {}

  /** Mails a customer a new link that verifies their address. */
  @Post(':customerId/resend-verification')
  @HttpCode(202)
  @ApiAcceptedResponse({ schema: { type: 'object' } })
  @ApiProblems('conflict', 'project_archived', 'rate_limited')
  async verify(@CurrentCaller() { reach }: OperatorCaller, @Param('customerId') id: string) {
    await this.mails.verify(reach, pathUuid(id));
    return {};
  }

  /** Mails a customer a link to choose a new password; until then the one they have stays. */
  @Post(':customerId/reset-password')
  @HttpCode(202)
  @ApiAcceptedResponse({ schema: { type: 'object' } })
  @ApiProblems('conflict', 'project_archived', 'rate_limited')
  async resetPassword(@CurrentCaller() { reach }: OperatorCaller, @Param('customerId') id: string) {
    await this.mails.resetPassword(reach, pathUuid(id));
    return {};
  }

  /** Mails a customer who has no password yet a new link to choose the first one. */
  @Post(':customerId/resend-invitation')
  @HttpCode(202)
  @ApiAcceptedResponse({ schema: { type: 'object' } })
  @ApiProblems('conflict', 'project_archived', 'rate_limited')
  async invite(@CurrentCaller() { reach }: OperatorCaller, @Param('customerId') id: string) {
    await this.mails.invite(reach, pathUuid(id));
    return {};
  }
}
