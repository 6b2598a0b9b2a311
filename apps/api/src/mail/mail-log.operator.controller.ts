import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Operator, OperatorRoutes, type ManagementCaller } from '@gatehouse/auth';
import { parsePathUuid } from '@gatehouse/domain';
import { CountResponse } from '../http/lists/count.response.js';
import { PickRoutes } from '../http/pick-routes.js';
import { ReadsFromReplica } from '../http/replica-reads.interceptor.js';
import { CountMailsQuery } from './dto/mail-log.request.js';
import { MailLogResponse } from './dto/mail-log.response.js';
import { MailLogController } from './mail-log.controller.js';

@ApiTags('Operators')
@Controller('operator/v1/mails')
@OperatorRoutes()
export class MailLogOperatorController extends PickRoutes(MailLogController, ['list']) {
  @Get('count')
  @ReadsFromReplica()
  @ApiOperation({ operationId: 'mails.count', summary: 'Count emails' })
  @Operator('viewer')
  @ApiOkResponse({ type: CountResponse })
  async count(@CurrentCaller() { accessScope }: ManagementCaller, @Query() query: CountMailsQuery) {
    return CountResponse.from(await this.log.count(accessScope, query));
  }

  @Get(':mailId')
  @ApiOperation({ operationId: 'mails.get', summary: 'Get an email' })
  @Operator('viewer')
  @ApiOkResponse({ type: MailLogResponse })
  async get(@CurrentCaller() { accessScope }: ManagementCaller, @Param('mailId') id: string) {
    return MailLogResponse.from(await this.log.get(accessScope, parsePathUuid(id)));
  }
}
