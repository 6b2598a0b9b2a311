import { Controller, Get, Query, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { NoCredential } from '@gatehouse/auth';
import { resolveBrand } from '@gatehouse/domain';
import { BillingService } from '../billing/billing.service.js';
import { RateLimit } from '../http/rate-limit.js';
import { PageFilter } from './page.filter.js';
import { linkButton, sendPage } from './page.js';

const RETRY_TEXT = 'Go back to the application and open the billing page again.';

/**
 * The billing portal of an installation without a billing provider. It is read-only: there is no plan to
 * change.
 */
@ApiExcludeController()
@NoCredential()
@UseFilters(PageFilter)
@Controller('billing-portal')
export class BillingPortalPage {
  constructor(private readonly billing: BillingService) {}

  @Get()
  @RateLimit('verify')
  async show(@Query('token') query: unknown, @Res() response: Response): Promise<void> {
    const visit = await this.billing.readVisit(typeof query === 'string' ? query : '');
    if (!visit) return sendPage(response, 400, { title: 'This link is not valid', text: RETRY_TEXT });
    const { organizationName, returnUrl, isExpired } = visit;
    const page = {
      button: linkButton(returnUrl, `Back to ${new URL(returnUrl).host}`),
      brand: resolveBrand(organizationName),
    };
    if (isExpired)
      return sendPage(response, 400, { title: 'This link has expired', text: RETRY_TEXT, ...page });
    const text = 'Your plan is “Self-hosted: everything included”. No payment is required.';
    sendPage(response, 200, { title: 'Billing', text, ...page });
  }
}
