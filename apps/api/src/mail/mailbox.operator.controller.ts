import { Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Operator, OperatorRoutes, type ManagingCaller } from '#auth';
import { pathUuid } from '#domain';
import { MailboxEntry } from './dto/mailbox.response.js';
import { MailboxController } from './mailbox.controller.js';

@ApiTags('Operators')
@Controller('operator/v1/mailbox')
@OperatorRoutes()
export class MailboxOperatorController extends MailboxController {
  /** One of the mails that are kept while no SMTP_URL is set. */
  @Get(':mailId')
  @Operator('operator')
  @ApiOkResponse({ type: MailboxEntry })
  show(@CurrentCaller() { reach }: ManagingCaller, @Param('mailId') id: string): Promise<MailboxEntry> {
    return this.mailbox.get(reach, pathUuid(id));
  }
}
