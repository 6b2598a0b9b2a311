import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { readCookie } from '@gatehouse/auth';

const NAME = '__Host-gatehouse_oidc';

/**
 * Cookie that binds a sign-in at the OpenID Provider to the browser that started it. It is `Lax`, because the provider
 * redirects from another site.
 */
export class OidcFlowCookie {
  readonly value: string | null;

  constructor(
    request: Request,
    private readonly response: Response,
  ) {
    this.value = readCookie(request, NAME);
  }

  /** @param maxAge in seconds */
  set(value: string, maxAge: number): void {
    this.response.cookie(NAME, value, { ...attributes, maxAge: maxAge * 1_000 });
  }

  clear(): void {
    this.response.cookie(NAME, '', { ...attributes, maxAge: 0 });
  }
}

const attributes = { path: '/', secure: true, httpOnly: true, sameSite: 'lax' } as const;

export const CurrentOidcFlowCookie = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const http = context.switchToHttp();
  return new OidcFlowCookie(http.getRequest<Request>(), http.getResponse<Response>());
});
