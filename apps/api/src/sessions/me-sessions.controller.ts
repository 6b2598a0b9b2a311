import { Controller, Delete, Get, HttpCode, Param, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiNoContentResponse, ApiTags } from '@nestjs/swagger';
import { AccessToken, CurrentCaller, type CustomerCaller } from '#auth';
import { pathUuid } from '#domain';
import { ApiCamelList } from '../http/api-envelopes.js';
import { ApiProblems } from '../http/api-problems.js';
import { camelList, PageQuery } from '../http/paging.js';
import { OwnSessionResponse } from './dto/session.response.js';
import { SessionsService } from './sessions.service.js';

@ApiTags('Customer')
@ApiBearerAuth('accessToken')
@AccessToken()
@Controller('api/v1/me/sessions')
export class MeSessionsController {
  constructor(private readonly sessions: SessionsService) {}

  /** Where the customer is logged in, newest first. */
  @Get()
  @ApiCamelList(OwnSessionResponse)
  @ApiProblems('validation_failed', 'invalid_cursor', 'invalid_access_token', 'origin_not_allowed')
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
  @ApiProblems('invalid_access_token', 'origin_not_allowed', 'not_found')
  async revoke(@CurrentCaller() { customer }: CustomerCaller, @Param('sessionId') id: string): Promise<void> {
    await this.sessions.revokeOwn(customer, pathUuid(id));
  }
}
