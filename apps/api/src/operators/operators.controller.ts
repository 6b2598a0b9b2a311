import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import {
  CurrentCaller,
  InstallationAccessRequired,
  Operator,
  type OperatorCaller,
  ReauthenticationRequired,
} from '@gatehouse/auth';
import { parsePathUuid } from '@gatehouse/domain';
import { ApiCamelList } from '../http/lists/api-envelopes.js';
import { ApiProblems } from '../http/problems/api-problems.js';
import { CountResponse } from '../http/lists/count.response.js';
import { CurrentClient } from '../http/current-client.js';
import { ETag } from '../http/preconditions/entity-tag.js';
import { camelList } from '../http/lists/paging.js';
import { IfMatch, Precondition } from '../http/preconditions/precondition.js';
import type { Client } from '../http/request-context.js';
import {
  CountOperatorsQuery,
  InviteOperatorRequest,
  ListOperatorsQuery,
  UpdateOperatorRequest,
} from './dto/operator.request.js';
import {
  InvitedOperatorResponse,
  OperatorResponse,
  OperatorSessionEntry,
  operatorVolatileFields,
} from './dto/operator.response.js';
import { OperatorsService } from './operators.service.js';

@ApiTags('Operators')
@Controller('operator/v1/operators')
@Operator('admin')
@InstallationAccessRequired()
export class OperatorsController {
  constructor(private readonly operators: OperatorsService) {}

  @Get()
  @ApiOperation({
    operationId: 'operators.list',
    summary: 'List operators',
    description: 'Newest first. Disabled operators are included.',
  })
  @ApiCamelList(OperatorResponse)
  async list(@Query() query: ListOperatorsQuery) {
    const { items, nextCursor } = await this.operators.list(query);
    return camelList(
      items.map((operator) => OperatorResponse.from(operator)),
      nextCursor,
    );
  }

  @Get('count')
  @ApiOperation({ operationId: 'operators.count', summary: 'Count operators' })
  @ApiOkResponse({ type: CountResponse })
  async count(@Query() query: CountOperatorsQuery) {
    return CountResponse.from(await this.operators.count(query));
  }

  @Post()
  @ReauthenticationRequired()
  @ApiOperation({
    operationId: 'operators.invite',
    summary: 'Invite an operator',
    description:
      'The invitation link is sent by email if `SMTP_URL` is set. Otherwise it is returned, only in this response.',
  })
  @ApiCreatedResponse({ type: InvitedOperatorResponse })
  @ApiProblems('single_sign_on_required', 'conflict')
  async invite(
    @CurrentCaller() caller: OperatorCaller,
    @CurrentClient() client: Client,
    @Body() body: InviteOperatorRequest,
  ): Promise<InvitedOperatorResponse> {
    return InvitedOperatorResponse.fromInvited(await this.operators.invite({ caller, client }, body));
  }

  @Get(':operatorId')
  @ApiOperation({ operationId: 'operators.get', summary: 'Get an operator' })
  @ETag({ volatile: operatorVolatileFields })
  @ApiOkResponse({ type: OperatorResponse })
  async get(@Param('operatorId') id: string): Promise<OperatorResponse> {
    return OperatorResponse.from(await this.operators.get(parsePathUuid(id)));
  }

  @Patch(':operatorId')
  @ReauthenticationRequired()
  @ApiOperation({
    operationId: 'operators.update',
    summary: 'Update an operator',
    description:
      'Changes the role, the name or the organizations. A new role and a new limit take effect immediately.',
  })
  @ETag({ volatile: operatorVolatileFields })
  @ApiOkResponse({ type: OperatorResponse })
  @ApiProblems('conflict', 'last_admin')
  async update(
    @CurrentCaller() caller: OperatorCaller,
    @CurrentClient() client: Client,
    @Param('operatorId') id: string,
    @Body() body: UpdateOperatorRequest,
    @IfMatch() precondition: Precondition,
  ): Promise<OperatorResponse> {
    return OperatorResponse.from(
      await this.operators.update({ caller, client }, parsePathUuid(id), body, precondition),
    );
  }

  @Post(':operatorId/disable')
  @ReauthenticationRequired()
  @ApiOperation({
    operationId: 'operators.disable',
    summary: 'Disable an operator',
    description: 'Revokes all sessions of the operator. Does nothing if the operator is already disabled.',
  })
  @HttpCode(200)
  @ApiOkResponse({ type: OperatorResponse })
  @ApiProblems('conflict', 'last_admin')
  async disable(
    @CurrentCaller() caller: OperatorCaller,
    @CurrentClient() client: Client,
    @Param('operatorId') id: string,
  ): Promise<OperatorResponse> {
    return OperatorResponse.from(await this.operators.disable({ caller, client }, parsePathUuid(id)));
  }

  @Post(':operatorId/enable')
  @ReauthenticationRequired()
  @ApiOperation({
    operationId: 'operators.enable',
    summary: 'Enable an operator',
    description: 'The password and the authenticator do not change.',
  })
  @HttpCode(200)
  @ApiOkResponse({ type: OperatorResponse })
  @ApiProblems('conflict')
  async enable(
    @CurrentCaller() caller: OperatorCaller,
    @CurrentClient() client: Client,
    @Param('operatorId') id: string,
  ): Promise<OperatorResponse> {
    return OperatorResponse.from(await this.operators.enable({ caller, client }, parsePathUuid(id)));
  }

  @Post(':operatorId/reset-second-factor')
  @ReauthenticationRequired()
  @ApiOperation({
    operationId: 'operators.resetSecondFactor',
    summary: "Reset an operator's second factor",
    description:
      'Revokes all sessions of the operator, who must enroll a new authenticator at the next sign-in.',
  })
  @HttpCode(200)
  @ApiOkResponse({ type: OperatorResponse })
  @ApiProblems('conflict')
  async resetSecondFactor(
    @CurrentCaller() caller: OperatorCaller,
    @CurrentClient() client: Client,
    @Param('operatorId') id: string,
  ): Promise<OperatorResponse> {
    return OperatorResponse.from(
      await this.operators.resetSecondFactor({ caller, client }, parsePathUuid(id)),
    );
  }

  @Post(':operatorId/invite-again')
  @ReauthenticationRequired()
  @ApiOperation({
    operationId: 'operators.resendInvitation',
    summary: 'Create a new invitation link',
    description:
      'The operator can use the link to set the first password or to replace a forgotten one. The previous link becomes invalid. The link is sent by email if `SMTP_URL` is set, and otherwise returned.',
  })
  @HttpCode(200)
  @ApiOkResponse({ type: InvitedOperatorResponse })
  @ApiProblems('single_sign_on_required', 'conflict')
  async inviteAgain(
    @CurrentCaller() caller: OperatorCaller,
    @CurrentClient() client: Client,
    @Param('operatorId') id: string,
  ): Promise<InvitedOperatorResponse> {
    return InvitedOperatorResponse.fromInvited(
      await this.operators.inviteAgain({ caller, client }, parsePathUuid(id)),
    );
  }

  @Get(':operatorId/sessions')
  @ApiOperation({
    operationId: 'operators.listSessions',
    summary: "List an operator's sessions",
    description: 'Newest first, all on one page.',
  })
  @ApiCamelList(OperatorSessionEntry)
  async listSessions(@CurrentCaller() { sessionId }: OperatorCaller, @Param('operatorId') id: string) {
    const sessions = await this.operators.listSessions(parsePathUuid(id));
    return camelList(
      sessions.map((session) => OperatorSessionEntry.from(session, sessionId)),
      null,
    );
  }

  @Delete(':operatorId/sessions')
  @ReauthenticationRequired()
  @ApiOperation({ operationId: 'operators.revokeSessions', summary: "Revoke an operator's sessions" })
  @HttpCode(204)
  @ApiNoContentResponse()
  endSessions(@Param('operatorId') id: string): Promise<void> {
    return this.operators.endSessions(parsePathUuid(id));
  }
}
