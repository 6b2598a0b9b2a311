import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Operator, type OperatorCaller } from '#auth';
import { pathUuid } from '#domain';
import { ApiCamelList } from '../http/api-envelopes.js';
import { ApiProblems } from '../http/api-problems.js';
import { CountResponse } from '../http/count.response.js';
import { camelList } from '../http/paging.js';
import {
  CountOperatorsQuery,
  InviteOperatorRequest,
  ListOperatorsQuery,
  UpdateOperatorRequest,
} from './dto/operator.request.js';
import { InvitedOperatorResponse, OperatorResponse, OperatorSessionEntry } from './dto/operator.response.js';
import { OperatorsService } from './operators.service.js';

@ApiTags('Operators')
@Controller('operator/v1/operators')
@Operator('admin')
export class OperatorsController {
  constructor(private readonly operators: OperatorsService) {}

  /** Everybody who may sign in to the console, newest first; those who are disabled as well. */
  @Get()
  @ApiCamelList(OperatorResponse)
  async list(@Query() query: ListOperatorsQuery) {
    const { items, nextCursor } = await this.operators.list(query);
    return camelList(
      items.map((operator) => OperatorResponse.from(operator)),
      nextCursor,
    );
  }

  /** How many operators match. */
  @Get('count')
  @ApiOkResponse({ type: CountResponse })
  async count(@Query() query: CountOperatorsQuery) {
    return CountResponse.from(await this.operators.count(query));
  }

  /** Invites an operator. The link is in this answer only, and mailed where mails are sent. */
  @Post()
  @ApiCreatedResponse({ type: InvitedOperatorResponse })
  @ApiProblems('conflict')
  async invite(@Body() body: InviteOperatorRequest): Promise<InvitedOperatorResponse> {
    return InvitedOperatorResponse.of(await this.operators.invite(body));
  }

  /** Changes role or name; a role acts at once. */
  @Patch(':operatorId')
  @ApiOkResponse({ type: OperatorResponse })
  @ApiProblems('last_admin')
  async update(
    @Param('operatorId') id: string,
    @Body() body: UpdateOperatorRequest,
  ): Promise<OperatorResponse> {
    return OperatorResponse.from(await this.operators.update(pathUuid(id), body));
  }

  /** Shuts an operator out at once. A second time nothing happens. */
  @Post(':operatorId/disable')
  @HttpCode(200)
  @ApiOkResponse({ type: OperatorResponse })
  @ApiProblems('conflict', 'last_admin')
  async disable(
    @CurrentCaller() caller: OperatorCaller,
    @Param('operatorId') id: string,
  ): Promise<OperatorResponse> {
    return OperatorResponse.from(await this.operators.disable(caller, pathUuid(id)));
  }

  /** Lets an operator in again, with the password and the authenticator that they had. */
  @Post(':operatorId/enable')
  @HttpCode(200)
  @ApiOkResponse({ type: OperatorResponse })
  async enable(@Param('operatorId') id: string): Promise<OperatorResponse> {
    return OperatorResponse.from(await this.operators.enable(pathUuid(id)));
  }

  /** Lets an operator enroll another authenticator with the next sign-in. Their sessions end. */
  @Post(':operatorId/reset-second-factor')
  @HttpCode(200)
  @ApiOkResponse({ type: OperatorResponse })
  async resetSecondFactor(@Param('operatorId') id: string): Promise<OperatorResponse> {
    return OperatorResponse.from(await this.operators.resetSecondFactor(pathUuid(id)));
  }

  /** A new link to choose a password by, also for one that was forgotten; the link before is void. */
  @Post(':operatorId/invite-again')
  @HttpCode(200)
  @ApiOkResponse({ type: InvitedOperatorResponse })
  @ApiProblems('conflict')
  async inviteAgain(@Param('operatorId') id: string): Promise<InvitedOperatorResponse> {
    return InvitedOperatorResponse.of(await this.operators.inviteAgain(pathUuid(id)));
  }

  /** Where an operator is signed in, newest first; one page holds them all. */
  @Get(':operatorId/sessions')
  @ApiCamelList(OperatorSessionEntry)
  async listSessions(@CurrentCaller() { sessionId }: OperatorCaller, @Param('operatorId') id: string) {
    const sessions = await this.operators.listSessions(pathUuid(id));
    return camelList(
      sessions.map((session) => OperatorSessionEntry.from(session, sessionId)),
      null,
    );
  }

  /** Signs an operator out everywhere. */
  @Delete(':operatorId/sessions')
  @HttpCode(204)
  @ApiNoContentResponse()
  endSessions(@Param('operatorId') id: string): Promise<void> {
    return this.operators.endSessions(pathUuid(id));
  }
}
