import { Get, Param, Query, Res, UseInterceptors } from '@nestjs/common';
import type { Response } from 'express';
import { GatehouseError } from '@gatehouse/domain';
import { SkipHeadInterceptor } from '../skip-head.interceptor.js';
import { ProviderFlowsService } from '../../identity-providers/provider-flows.service.js';
import { identifyBrowser } from './browser-cookie.js';
import { HostedSignInPage } from './hosted-page.js';
import { SignInRequestsService, type SignInPageRequest } from './sign-in-requests.service.js';
import { SignInScreensService } from './sign-in-screens.service.js';

/** The links to identity providers on the hosted sign-in page. */
@HostedSignInPage('sign-in/provider')
@UseInterceptors(SkipHeadInterceptor)
export class ProviderPage {
  constructor(
    private readonly requests: SignInRequestsService,
    private readonly screens: SignInScreensService,
    private readonly flows: ProviderFlowsService,
  ) {}

  /** Redirects to a provider. The provider's callback redirects back to the page. */
  @Get(':slug')
  async begin(
    @Param('slug') slug: string,
    @Query() query: unknown,
    @Res() response: Response,
  ): Promise<void> {
    const page = await this.requests.open('oauth', query, {}, response);
    let url: string;
    try {
      const provider = await this.flows.getProvider(page.project, slug);
      if (!this.screens.canProveRecency(page, provider)) throw new GatehouseError('method_not_enabled');
      const browserHash = identifyBrowser(response.req, response);
      url = await this.flows.begin(page.project, provider, { ...toFlow(page), browserHash });
    } catch (error) {
      return this.screens.showError(page, 'sign_in', {}, error);
    }
    response.redirect(303, url);
  }
}

const toFlow = ({ client, query }: SignInPageRequest) => ({
  ...client.page.target,
  promptsLogin: query.promptsLogin,
  ...(query.maxAge === null ? {} : { maxAge: query.maxAge }),
  ...(query.loginHint === null ? {} : { loginHint: query.loginHint }),
  pageQuery: new URLSearchParams(query.parameters).toString(),
});
