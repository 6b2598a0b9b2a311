import { Controller, Delete, Get, HttpCode, Param, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiTags } from '@nestjs/swagger';
import { AccessToken, CurrentCaller, type CustomerCaller } from '#auth';
import { pathUuid } from '#domain';
import { ApiCamelList } from '../http/api-envelopes.js';
import { camelList, PageQuery } from '../http/paging.js';
import { OwnSessionResponse } from './dto/session.response.js';
import { SessionsService } from './sessions.service.js';

@ApiTags('Customer')
@AccessToken()
@Controller('api/v1/me/sessions')
export class MeSessionsController {
  constructor(private readonly sessions: SessionsService) {}

  /** Where the customer is logged in, newest first. */
  @Get()
  @ApiCamelList(OwnSessionResponse)
  async list(@CurrentCaller() { customer, sessionId }: CustomerCaller, @Query() query: PageQuery) {
    const { items, nextCursor } = await this.sessions.list(customer, query);
    return camelList(
      items.map((session) => OwnSessionResponse.from(session, sessionId)),
      nextCursor,
    );
  }

  /** Ends one of the customer's sessions, also the one that asks. */
  @Delete(':sessionId')
  @HttpCode(204)
  @ApiNoContentResponse()
  async revoke(@CurrentCaller() { customer }: CustomerCaller, @Param('sessionId') id: string): Promise<void> {
    await this.sessions.revokeOwn(customer, pathUuid(id));
  }
}
