import { Controller, Delete, Get, HttpCode, Param, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AccessToken, CurrentCaller, type CustomerCaller } from '@gatehouse/auth';
import { parsePathUuid } from '@gatehouse/domain';
import { ApiCamelList } from '../http/lists/api-envelopes.js';
import { camelList, PageQuery } from '../http/lists/paging.js';
import { OwnSessionResponse } from './dto/session.response.js';
import { SessionsService } from './sessions.service.js';

@ApiTags('Customer')
@AccessToken()
@Controller('api/v1/me/sessions')
export class MeSessionsController {
  constructor(private readonly sessions: SessionsService) {}

  @Get()
  @ApiOperation({
    operationId: 'me.listSessions',
    summary: 'List your active sessions',
    description: 'Newest first.',
  })
  @ApiCamelList(OwnSessionResponse)
  async list(@CurrentCaller() { customer, sessionId }: CustomerCaller, @Query() query: PageQuery) {
    const { items, nextCursor } = await this.sessions.list(customer, query);
    return camelList(
      items.map((session) => OwnSessionResponse.from(session, sessionId)),
      nextCursor,
    );
  }

  @Delete(':sessionId')
  @ApiOperation({
    operationId: 'me.revokeSession',
    summary: 'Revoke one of your sessions',
    description: 'The current session can be revoked as well.',
  })
  @HttpCode(204)
  @ApiNoContentResponse()
  async revoke(@CurrentCaller() { customer }: CustomerCaller, @Param('sessionId') id: string): Promise<void> {
    await this.sessions.revokeOwnSession(customer, parsePathUuid(id));
  }
}
