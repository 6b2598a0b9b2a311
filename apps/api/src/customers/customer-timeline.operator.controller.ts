import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Operator, OperatorRoutes, type ManagementCaller } from '@gatehouse/auth';
import { parsePathUuid } from '@gatehouse/domain';
import { ApiCamelList } from '../http/lists/api-envelopes.js';
import { camelList } from '../http/lists/paging.js';
import { CustomerTimelineService } from './customer-timeline.service.js';
import { CustomerTimelineQuery } from './dto/customer-timeline.request.js';
import { TimelineEntryResponse } from './dto/customer-timeline.response.js';

@ApiTags('Operators')
@Controller('operator/v1/customers/:customerId/timeline')
@OperatorRoutes()
export class CustomerTimelineOperatorController {
  constructor(private readonly timeline: CustomerTimelineService) {}

  @Get()
  @ApiOperation({
    operationId: 'customers.listTimeline',
    summary: "List a customer's timeline",
    description:
      'Lists sign-ins, sessions, emails, webhooks about the customer, and changes made by the customer, keys or operators, newest first. A change that is both an event and an audit log entry is returned once, as the audit log entry. A page may contain fewer entries than `limit`, or none, while `hasMore` is true.',
  })
  @Operator('viewer')
  @ApiCamelList(TimelineEntryResponse)
  async list(
    @CurrentCaller() caller: ManagementCaller,
    @Param('customerId') id: string,
    @Query() query: CustomerTimelineQuery,
  ) {
    const { items, nextCursor } = await this.timeline.list(caller, parsePathUuid(id), query);
    return camelList(
      items.map((entry) => TimelineEntryResponse.from(entry)),
      nextCursor,
    );
  }
}
