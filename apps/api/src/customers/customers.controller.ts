import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiTags,
} from '@nestjs/swagger';
import { CurrentCaller, SecretKey, type SecretKeyCaller } from '#auth';
import { pathUuid } from '#domain';
import { ApiProblems } from '../http/api-problems.js';
import { CurrentClient } from '../http/current-client.js';
import type { Client } from '../http/request-context.js';
import { CustomersService } from './customers.service.js';
import { CreateCustomerRequest } from './dto/customer.request.js';
import { CustomerResponse } from './dto/customer.response.js';

@ApiTags('Customers')
@ApiBearerAuth('secretKey')
@Controller('api/v1/customers')
export class CustomersController {
  constructor(private readonly customers: CustomersService) {}

  /** Creates a customer, and mails them an invitation if asked to. */
  @Post()
  @SecretKey('customer:write')
  @ApiCreatedResponse({ type: CustomerResponse })
  @ApiProblems(
    'validation_failed',
    'invalid_api_key',
    'insufficient_scope',
    'not_found',
    'email_already_registered',
    'external_id_taken',
    'weak_password',
    'rate_limited',
    'overloaded',
  )
  async create(
    @CurrentCaller() caller: SecretKeyCaller,
    @Body() body: CreateCustomerRequest,
    @CurrentClient() client: Client,
  ): Promise<CustomerResponse> {
    return CustomerResponse.from(await this.customers.create(caller, body, client));
  }

  /** One customer. */
  @Get(':customerId')
  @SecretKey('customer:read')
  @ApiOkResponse({ type: CustomerResponse })
  @ApiProblems('invalid_api_key', 'insufficient_scope', 'not_found')
  async show(
    @CurrentCaller() { reach }: SecretKeyCaller,
    @Param('customerId') id: string,
  ): Promise<CustomerResponse> {
    return CustomerResponse.from((await this.customers.get(reach, pathUuid(id))).customer);
  }

  /** Keeps a customer out and ends their sessions. */
  @Post(':customerId/disable')
  @HttpCode(200)
  @SecretKey('customer:write')
  @ApiOkResponse({ type: CustomerResponse })
  @ApiProblems('invalid_api_key', 'insufficient_scope', 'not_found')
  async disable(
    @CurrentCaller() { reach }: SecretKeyCaller,
    @Param('customerId') id: string,
  ): Promise<CustomerResponse> {
    return CustomerResponse.from(await this.customers.disable(reach, pathUuid(id)));
  }

  /** Lets a customer in again. */
  @Post(':customerId/enable')
  @HttpCode(200)
  @SecretKey('customer:write')
  @ApiOkResponse({ type: CustomerResponse })
  @ApiProblems('invalid_api_key', 'insufficient_scope', 'not_found')
  async enable(
    @CurrentCaller() { reach }: SecretKeyCaller,
    @Param('customerId') id: string,
  ): Promise<CustomerResponse> {
    return CustomerResponse.from(await this.customers.enable(reach, pathUuid(id)));
  }

  /** Forgets a customer's failed logins, so that they may try again at once. */
  @Post(':customerId/unlock')
  @HttpCode(200)
  @SecretKey('customer:write')
  @ApiOkResponse({ type: CustomerResponse })
  @ApiProblems('invalid_api_key', 'insufficient_scope', 'not_found')
  async unlock(
    @CurrentCaller() { reach }: SecretKeyCaller,
    @Param('customerId') id: string,
  ): Promise<CustomerResponse> {
    return CustomerResponse.from(await this.customers.unlock(reach, pathUuid(id)));
  }

  /** Deletes a customer with everything that is only theirs; the address is free again. */
  @Delete(':customerId')
  @HttpCode(204)
  @SecretKey('customer:delete')
  @ApiNoContentResponse()
  @ApiProblems('invalid_api_key', 'insufficient_scope', 'not_found')
  async delete(@CurrentCaller() { reach }: SecretKeyCaller, @Param('customerId') id: string): Promise<void> {
    await this.customers.delete(reach, pathUuid(id));
  }
}
