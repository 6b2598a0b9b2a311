import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, SecretKey, type ManagementCaller } from '@gatehouse/auth';
import { ApiCamelList } from '../http/lists/api-envelopes.js';
import { ApiProblems } from '../http/problems/api-problems.js';
import { camelList } from '../http/lists/paging.js';
import { MailboxQuery } from './dto/mailbox.request.js';
import { MailboxEntry } from './dto/mailbox.response.js';
import { MailboxService } from './mailbox.service.js';

@ApiTags('Mailbox')
@Controller('api/v1/mailbox')
export class MailboxController {
  constructor(protected readonly mailbox: MailboxService) {}

  @Get()
  @ApiOperation({
    operationId: 'mailbox.list',
    summary: 'List captured emails',
    description: 'Newest first. Emails are captured while `SMTP_URL` is not set.',
  })
  @SecretKey('mailbox:read')
  @ApiCamelList(MailboxEntry)
  @ApiProblems('not_found')
  async list(@CurrentCaller() { accessScope }: ManagementCaller, @Query() query: MailboxQuery) {
    const { items, nextCursor } = await this.mailbox.list(accessScope, query);
    return camelList(items, nextCursor);
  }
}
