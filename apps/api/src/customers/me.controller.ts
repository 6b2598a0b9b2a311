import { Body, Controller, Get, HttpCode, Patch, Post } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { AccessToken, CurrentCaller, type CustomerCaller } from '@gatehouse/auth';
import { ApiProblems } from '../http/problems/api-problems.js';
import { CurrentClient } from '../http/current-client.js';
import { RateLimit } from '../http/limits/rate-limit.js';
import type { Client } from '../http/request-context.js';
import { EmailChangeService } from '../email/email-change.service.js';
import { PasswordChangeService } from '../passwords/password-change.service.js';
import { CustomerChangesService } from './customer-changes.service.js';
import { CustomersService } from './customers.service.js';
import {
  ChangeEmailRequest,
  ChangePasswordRequest,
  DeleteMeRequest,
  UpdateMeRequest,
} from './dto/customer.request.js';
import { MeResponse } from './dto/customer.response.js';
import { freshProofProblems } from './fresh-proof-problems.js';

@ApiTags('Customer')
@AccessToken()
@Controller('api/v1/me')
export class MeController {
  constructor(
    private readonly customers: CustomersService,
    private readonly changes: CustomerChangesService,
    private readonly passwords: PasswordChangeService,
    private readonly emails: EmailChangeService,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'me.get',
    summary: 'Get the signed-in customer',
    description: 'Returns the customer that the access token belongs to.',
  })
  @ApiOkResponse({ type: MeResponse })
  get(@CurrentCaller() caller: CustomerCaller): MeResponse {
    return MeResponse.from(caller.customer);
  }

  @Patch()
  @ApiOperation({
    operationId: 'me.update',
    summary: 'Update the signed-in customer',
    description: 'Changes only the fields in the request (JSON Merge Patch, RFC 7396).',
  })
  @ApiOkResponse({ type: MeResponse })
  async update(
    @CurrentCaller() { customer }: CustomerCaller,
    @Body() body: UpdateMeRequest,
  ): Promise<MeResponse> {
    return MeResponse.from(await this.changes.updateMe(customer, body));
  }

  @Post('password')
  @ApiOperation({
    operationId: 'me.changePassword',
    summary: 'Change your password',
    description: 'Revokes all other sessions of the customer and notifies the customer by email.',
  })
  @HttpCode(204)
  @RateLimit('login')
  @ApiNoContentResponse()
  @ApiProblems(...freshProofProblems, 'weak_password')
  async changePassword(
    @CurrentCaller() caller: CustomerCaller,
    @Body() body: ChangePasswordRequest,
    @CurrentClient() client: Client,
  ): Promise<void> {
    await this.passwords.change(caller, body, client);
  }

  @Post('email')
  @ApiOperation({
    operationId: 'me.changeEmail',
    summary: 'Request an email address change',
    description:
      'Sends a confirmation link to both the current and the new address. The address changes when both are confirmed.',
  })
  @HttpCode(202)
  @RateLimit('login')
  @ApiAcceptedResponse({ schema: { type: 'object' } })
  @ApiProblems(...freshProofProblems, 'email_already_registered')
  async changeEmail(
    @CurrentCaller() caller: CustomerCaller,
    @Body() body: ChangeEmailRequest,
    @CurrentClient() client: Client,
  ): Promise<Record<string, never>> {
    await this.emails.request(caller, body, client);
    return {};
  }

  @Post('delete')
  @ApiOperation({
    operationId: 'me.delete',
    summary: 'Delete the signed-in customer',
    description: 'Deletes the customer and all data that belongs only to the customer.',
  })
  @HttpCode(204)
  @RateLimit('login')
  @ApiNoContentResponse()
  @ApiProblems(...freshProofProblems)
  async delete(
    @CurrentCaller() caller: CustomerCaller,
    @Body() body: DeleteMeRequest,
    @CurrentClient() client: Client,
  ): Promise<void> {
    await this.customers.deleteMe(caller, body.currentPassword, client);
  }
}
