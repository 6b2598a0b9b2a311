import { Get, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { parseValidUrl, resolveBrand } from '@gatehouse/domain';
import { BillingService } from '../billing/billing.service.js';
import { assertWithinLimit } from '../http/limits/address-limit.js';
import { RateLimit } from '../http/limits/rate-limit.js';
import type { GatehouseRequest } from '../http/request-context.js';
import { textsFor } from './link-page.js';
import { HostedPage } from './hosted-page.js';
import { linkButton, sendPage } from './page.js';

/**
 * The billing portal of an installation without a billing provider. It is read-only, because there is no plan to
 * change.
 */
@HostedPage('billing-portal')
export class BillingPortalPage {
  constructor(private readonly billing: BillingService) {}

  @Get()
  @RateLimit('verify')
  async show(@Query('token') query: unknown, @Res() response: Response): Promise<void> {
    await assertWithinLimit((response.req as GatehouseRequest).counted, null);
    const visit = await this.billing.readVisit(typeof query === 'string' ? query : '');
    const { language, billing, invalidLink, expiredLink } = textsFor(response);
    const invalid = { language, text: billing.retryText };
    if (!visit) return sendPage(response, 400, { ...invalid, title: invalidLink.title });
    const { organizationName, returnUrl, isExpired } = visit;
    const page = {
      button: linkButton(returnUrl, billing.back(parseValidUrl(returnUrl).host)),
      brand: resolveBrand(organizationName),
    };
    if (isExpired) return sendPage(response, 400, { ...invalid, title: expiredLink.title, ...page });
    sendPage(response, 200, { language, title: billing.title, text: billing.text, ...page });
  }
}
