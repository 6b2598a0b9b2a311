import { Body, Controller, Get, HttpCode, Patch, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiNoContentResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { AccessToken, CurrentCaller, type CustomerCaller } from '#auth';
import { ApiProblems } from '../http/api-problems.js';
import { CurrentClient } from '../http/current-client.js';
import { RateLimit } from '../http/rate-limit.js';
import type { Client } from '../http/request-context.js';
import { EmailChangeService } from '../identity/email-change.service.js';
import { PasswordChangeService } from '../identity/password-change.service.js';
import { CustomerChanges } from './customer-changes.service.js';
import { CustomersService } from './customers.service.js';
import {
  ChangeEmailRequest,
  ChangePasswordRequest,
  DeleteMeRequest,
  UpdateMeRequest,
} from './dto/customer.request.js';
import { MeResponse } from './dto/customer.response.js';

@ApiTags('Customer')
@AccessToken()
@Controller('api/v1/me')
export class MeController {
  constructor(
    private readonly customers: CustomersService,
    private readonly changes: CustomerChanges,
    private readonly passwords: PasswordChangeService,
    private readonly emails: EmailChangeService,
  ) {}

  /** The customer whom the access token belongs to. */
  @Get()
  @ApiOkResponse({ type: MeResponse })
  show(@CurrentCaller() caller: CustomerCaller): MeResponse {
    return MeResponse.from(caller.customer);
  }

  /** Changes the customer's names. */
  @Patch()
  @ApiOkResponse({ type: MeResponse })
  async update(
    @CurrentCaller() { customer }: CustomerCaller,
    @Body() body: UpdateMeRequest,
  ): Promise<MeResponse> {
    return MeResponse.from(await this.changes.updateMe(customer, body));
  }

  /** Changes the password, ends the customer's other sessions and tells them by mail. */
  @Post('password')
  @HttpCode(204)
  @RateLimit('login')
  @ApiNoContentResponse()
  @ApiProblems('invalid_credentials', 'weak_password', 'too_many_attempts', 'overloaded')
  async changePassword(
    @CurrentCaller() caller: CustomerCaller,
    @Body() body: ChangePasswordRequest,
    @CurrentClient() client: Client,
  ): Promise<void> {
    await this.passwords.change(caller, body, client);
  }

  /** Asks the old and the new address to confirm the change from one to the other. */
  @Post('email')
  @HttpCode(202)
  @RateLimit('login')
  @ApiAcceptedResponse({ schema: { type: 'object' } })
  @ApiProblems('invalid_credentials', 'email_already_registered', 'too_many_attempts', 'overloaded')
  async changeEmail(
    @CurrentCaller() caller: CustomerCaller,
    @Body() body: ChangeEmailRequest,
    @CurrentClient() client: Client,
  ): Promise<Record<string, never>> {
    await this.emails.request(caller, body, client);
    return {};
  }

  /** Deletes the customer with everything that is only theirs. */
  @Post('delete')
  @HttpCode(204)
  @RateLimit('login')
  @ApiNoContentResponse()
  @ApiProblems('invalid_credentials', 'too_many_attempts', 'overloaded')
  async delete(
    @CurrentCaller() { customer }: CustomerCaller,
    @Body() body: DeleteMeRequest,
    @CurrentClient() client: Client,
  ): Promise<void> {
    await this.customers.deleteMe(customer, body.currentPassword, client);
  }
}
