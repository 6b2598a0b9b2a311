import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Operator, OperatorRoutes, type ManagementCaller } from '@gatehouse/auth';
import { parsePathUuid } from '@gatehouse/domain';
import { ApiProblems } from '../http/problems/api-problems.js';
import { CountResponse } from '../http/lists/count.response.js';
import { PickRoutes } from '../http/pick-routes.js';
import { CountMailboxQuery } from './dto/mailbox.request.js';
import { MailboxEntry } from './dto/mailbox.response.js';
import { MailboxController } from './mailbox.controller.js';

@ApiTags('Operators')
@Controller('operator/v1/mailbox')
@OperatorRoutes()
export class MailboxOperatorController extends PickRoutes(MailboxController, ['list']) {
  @Get('count')
  @ApiOperation({ operationId: 'mailbox.count', summary: 'Count captured emails' })
  @Operator('operator')
  @ApiOkResponse({ type: CountResponse })
  @ApiProblems('not_found')
  async count(@CurrentCaller() { accessScope }: ManagementCaller, @Query() query: CountMailboxQuery) {
    return CountResponse.from(await this.mailbox.count(accessScope, query));
  }

  @Get(':mailId')
  @ApiOperation({
    operationId: 'mailbox.get',
    summary: 'Get a captured email',
    description: 'Emails are captured while `SMTP_URL` is not set.',
  })
  @Operator('operator')
  @ApiOkResponse({ type: MailboxEntry })
  get(
    @CurrentCaller() { accessScope }: ManagementCaller,
    @Param('mailId') id: string,
  ): Promise<MailboxEntry> {
    return this.mailbox.get(accessScope, parsePathUuid(id));
  }
}
