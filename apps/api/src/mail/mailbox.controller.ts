import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentCaller, MinimumRole, SecretKey, type ManagingCaller } from '#auth';
import { ApiCamelList } from '../http/api-envelopes.js';
import { ApiProblems } from '../http/api-problems.js';
import { camelList } from '../http/paging.js';
import { MailboxQuery } from './dto/mailbox.request.js';
import { MailboxEntry } from './dto/mailbox.response.js';
import { MailboxService } from './mailbox.service.js';

@ApiTags('Mailbox')
@Controller('api/v1/mailbox')
export class MailboxController {
  constructor(protected readonly mailbox: MailboxService) {}

  /** The mails that are kept while no SMTP_URL is set, newest first. */
  @Get()
  @SecretKey('customer:read')
  @MinimumRole('operator')
  @ApiCamelList(MailboxEntry)
  @ApiProblems('not_found')
  async list(@CurrentCaller() { reach }: ManagingCaller, @Query() query: MailboxQuery) {
    const { items, nextCursor } = await this.mailbox.list(reach, query);
    return camelList(items, nextCursor);
  }
}
