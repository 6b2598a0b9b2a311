import { Body, Controller, Get, Param, Post, Query, Res, UseFilters, UseInterceptors } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { NoCredential } from '@gatehouse/auth';
import { GatehouseError } from '@gatehouse/domain';
import { CurrentClient } from '../http/current-client.js';
import { RateLimit } from '../http/limits/rate-limit.js';
import type { Client } from '../http/request-context.js';
import { SkipHeadInterceptor } from './skip-head.interceptor.js';
import { ProviderCallbackService } from '../identity-providers/sign-in/provider-callback.service.js';
import { textsFor } from './link-page.js';
import { PageFilter } from './page.filter.js';
import { sendPage } from './page.js';

/**
 * Receives browsers that return from identity providers, with GET or with a form that the provider submits
 * (`form_post`). A request with an unknown state ends here, without a redirect.
 */
@ApiExcludeController()
@NoCredential()
@UseFilters(PageFilter)
@UseInterceptors(SkipHeadInterceptor)
@Controller('api/v1/auth/oauth/callback/:providerId')
export class OAuthCallbackPage {
  constructor(private readonly callbacks: ProviderCallbackService) {}

  @Get()
  @RateLimit('oauth-callback')
  show(
    @Param('providerId') providerId: string,
    @Query() query: Record<string, unknown>,
    @CurrentClient() client: Client,
    @Res() response: Response,
  ): Promise<void> {
    return this.finish(providerId, query, client, response);
  }

  @Post()
  @RateLimit('oauth-callback')
  submit(
    @Param('providerId') providerId: string,
    @Body() form: Record<string, unknown> | undefined,
    @CurrentClient() client: Client,
    @Res() response: Response,
  ): Promise<void> {
    return this.finish(providerId, form ?? {}, client, response);
  }

  private async finish(
    providerId: string,
    parameters: Record<string, unknown>,
    client: Client,
    response: Response,
  ): Promise<void> {
    try {
      response.redirect(303, await this.callbacks.finish(providerId, parameters, client));
    } catch (error) {
      if (!(error instanceof GatehouseError) || error.code !== 'invalid_code') throw error;
      const { language, providerReturn } = textsFor(response);
      sendPage(response, 400, { language, title: providerReturn.title, text: providerReturn.text });
    }
  }
}
