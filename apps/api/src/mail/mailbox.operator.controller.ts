import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Operator, OperatorRoutes, type ManagingCaller } from '#auth';
import { pathUuid } from '#domain';
import { ApiProblems } from '../http/api-problems.js';
import { CountResponse } from '../http/count.response.js';
import { CountMailboxQuery } from './dto/mailbox.request.js';
import { MailboxEntry } from './dto/mailbox.response.js';
import { MailboxController } from './mailbox.controller.js';

@ApiTags('Operators')
@Controller('operator/v1/mailbox')
@OperatorRoutes()
export class MailboxOperatorController extends MailboxController {
  /** How many mails are kept and match. */
  @Get('count')
  @Operator('operator')
  @ApiOkResponse({ type: CountResponse })
  @ApiProblems('not_found')
  async count(@CurrentCaller() { reach }: ManagingCaller, @Query() query: CountMailboxQuery) {
    return CountResponse.from(await this.mailbox.count(reach, query));
  }

  /** One of the mails that are kept while no SMTP_URL is set. */
  @Get(':mailId')
  @Operator('operator')
  @ApiOkResponse({ type: MailboxEntry })
  show(@CurrentCaller() { reach }: ManagingCaller, @Param('mailId') id: string): Promise<MailboxEntry> {
    return this.mailbox.get(reach, pathUuid(id));
  }
}
