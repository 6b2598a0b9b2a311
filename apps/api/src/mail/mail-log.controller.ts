import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, SecretKey, type ManagementCaller } from '@gatehouse/auth';
import { ApiCamelList } from '../http/lists/api-envelopes.js';
import { camelList } from '../http/lists/paging.js';
import { ReadsFromReplica } from '../http/replica-reads.interceptor.js';
import { ListMailsQuery } from './dto/mail-log.request.js';
import { MailLogResponse } from './dto/mail-log.response.js';
import { MailLogService } from './mail-log.service.js';

@ApiTags('Emails')
@Controller('api/v1/mails')
export class MailLogController {
  constructor(protected readonly log: MailLogService) {}

  @Get()
  @ReadsFromReplica()
  @ApiOperation({
    operationId: 'mails.list',
    summary: 'List emails',
    description:
      'Returns the emails to customers from the last 30 days, newest first, without their text. Emails that were not sent are included. A page may contain fewer emails than `limit`, or none, while `hasMore` is true.',
  })
  @SecretKey('customer:read')
  @ApiCamelList(MailLogResponse)
  async list(@CurrentCaller() { accessScope }: ManagementCaller, @Query() query: ListMailsQuery) {
    const { items, nextCursor } = await this.log.list(accessScope, query);
    return camelList(
      items.map((mail) => MailLogResponse.from(mail)),
      nextCursor,
    );
  }
}
