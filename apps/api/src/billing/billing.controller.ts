import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, SecretKey, type SecretKeyCaller } from '@gatehouse/auth';
import { ApiProblems } from '../http/problems/api-problems.js';
import { BillingService } from './billing.service.js';
import { BillingPortalRequest } from './dto/billing-portal.request.js';
import { BillingPortalResponse } from './dto/billing-portal.response.js';

@ApiTags('Billing')
@Controller('api/v1/billing')
export class BillingController {
  constructor(private readonly billing: BillingService) {}

  @Post('portal')
  @ApiOperation({
    operationId: 'billing.createPortalSession',
    summary: 'Create a billing portal session',
    description: 'The portal belongs to an organization and links back to `returnUrl`.',
  })
  @HttpCode(200)
  @SecretKey('billing:write')
  @ApiOkResponse({ type: BillingPortalResponse })
  @ApiProblems('insufficient_access', 'not_found', 'billing_not_configured', 'billing_unavailable')
  async open(
    @CurrentCaller() caller: SecretKeyCaller,
    @Body() body: BillingPortalRequest,
  ): Promise<BillingPortalResponse> {
    return BillingPortalResponse.from(await this.billing.open(caller, body));
  }
}
