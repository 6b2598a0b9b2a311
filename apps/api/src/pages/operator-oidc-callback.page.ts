import { Controller, Get, Query, Res, UseInterceptors } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { NoCredential } from '@gatehouse/auth';
import { CurrentConsoleCookie, type ConsoleCookie } from '../operators/console-cookie.js';
import { CurrentClient } from '../http/current-client.js';
import { RateLimit } from '../http/limits/rate-limit.js';
import type { Client } from '../http/request-context.js';
import { SkipHeadInterceptor } from './skip-head.interceptor.js';
import { linkButton, sendPage, type PageContent } from './page.js';
import { CurrentOidcFlowCookie, type OidcFlowCookie } from '../operators/oidc-flow-cookie.js';
import { OidcSignInService, type OidcResult } from '../operators/oidc-sign-in.service.js';

/**
 * Receives browsers that return from the OpenID Provider for operators. After a redirect from another site, browsers
 * would not send the session cookie, which is `Strict`. The page that sets the cookie therefore opens the console
 * itself.
 */
@ApiExcludeController()
@NoCredential()
@UseInterceptors(SkipHeadInterceptor)
@Controller('operator/v1/oidc/callback')
export class OperatorOidcCallbackPage {
  constructor(private readonly signIns: OidcSignInService) {}

  @Get()
  @RateLimit('operator-login')
  async show(
    @Query() query: Record<string, unknown>,
    @CurrentClient() client: Client,
    @CurrentConsoleCookie() session: ConsoleCookie,
    @CurrentOidcFlowCookie() flow: OidcFlowCookie,
    @Res() response: Response,
  ): Promise<void> {
    const parameters = Object.fromEntries(
      Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
    const result = await this.signIns.finish(parameters, { session, flow }, client);
    sendPage(response, statusOf(result), { language: 'en', ...describe(result) });
  }
}

function statusOf({ rejection }: OidcResult): number {
  if (rejection === null) return 200;
  if (rejection.reason === 'provider_unavailable') return 503;
  return rejection.reason === 'expired' ? 400 : 403;
}

function describe({ purpose, rejection }: OidcResult): Omit<PageContent, 'language'> {
  const isSeparateWindow = purpose?.isSeparateWindow ?? false;
  if (rejection) {
    const link = linkButton('/console/sign-in', 'Back to sign-in');
    return {
      title: purpose?.session ? 'Your identity was not confirmed' : 'You are not signed in',
      text: rejection.text,
      ...(isSeparateWindow ? { hint: 'You can close this window.' } : { button: link }),
    };
  }
  if (isSeparateWindow) {
    const title = purpose!.session ? 'Your identity is confirmed' : 'You are signed in';
    return { title, text: 'Close this window and continue in the console.' };
  }
  const path = `/console${purpose!.to}`;
  return { title: 'You are signed in', nextPath: path, button: linkButton(path, 'Continue') };
}
