import { Controller, Delete, Get, HttpCode, Param, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, SecretKey, type ManagementCaller } from '@gatehouse/auth';
import { parsePathUuid } from '@gatehouse/domain';
import { ApiCamelList } from '../http/lists/api-envelopes.js';
import { ApiProblems } from '../http/problems/api-problems.js';
import { camelList, PageQuery } from '../http/lists/paging.js';
import { SessionResponse } from './dto/session.response.js';
import { SessionsService } from './sessions.service.js';

@ApiTags('Customers')
@Controller('api/v1/customers/:customerId/sessions')
export class CustomerSessionsController {
  constructor(private readonly sessions: SessionsService) {}

  @Get()
  @ApiOperation({
    operationId: 'sessions.list',
    summary: "List a customer's active sessions",
    description: 'Newest first.',
  })
  @SecretKey('session:read')
  @ApiCamelList(SessionResponse)
  async list(
    @CurrentCaller() { accessScope }: ManagementCaller,
    @Param('customerId') id: string,
    @Query() query: PageQuery,
  ) {
    const { customer } = await this.sessions.getCustomer(accessScope, parsePathUuid(id));
    const { items, nextCursor } = await this.sessions.list(customer, query);
    return camelList(
      items.map((session) => SessionResponse.from(session)),
      nextCursor,
    );
  }

  @Delete()
  @ApiOperation({ operationId: 'sessions.revokeAll', summary: "Revoke a customer's sessions" })
  @HttpCode(204)
  @SecretKey('session:revoke')
  @ApiNoContentResponse()
  @ApiProblems('project_archived')
  async revokeAll(
    @CurrentCaller() { accessScope }: ManagementCaller,
    @Param('customerId') id: string,
  ): Promise<void> {
    const { customer, project } = await this.sessions.getActiveCustomer(accessScope, parsePathUuid(id));
    await this.sessions.revokeAll(customer, project);
  }

  @Delete(':sessionId')
  @ApiOperation({ operationId: 'sessions.revoke', summary: 'Revoke a session' })
  @HttpCode(204)
  @SecretKey('session:revoke')
  @ApiNoContentResponse()
  @ApiProblems('project_archived')
  async revoke(
    @CurrentCaller() { accessScope }: ManagementCaller,
    @Param('customerId') id: string,
    @Param('sessionId') sessionId: string,
  ): Promise<void> {
    const { customer, project } = await this.sessions.getActiveCustomer(accessScope, parsePathUuid(id));
    await this.sessions.revoke(customer, project, parsePathUuid(sessionId));
  }
}
