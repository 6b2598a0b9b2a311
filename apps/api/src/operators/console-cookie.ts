import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Response } from 'express';
import { OPERATOR_COOKIE, operatorToken } from '@gatehouse/auth';
import type { GatehouseRequest } from '../http/request-context.js';

/** The console's session cookie, as received in the request and as set in the response. */
export class ConsoleCookie {
  /** Session token; null if the request has no cookie. */
  token: string | null;

  constructor(
    private readonly request: GatehouseRequest,
    private readonly response: Response,
  ) {
    this.token = operatorToken(request);
  }

  /**
   * Sets the cookie without an expiry: the browser deletes it when it closes, and the server expires the session
   * anyway.
   */
  set(token: string): void {
    this.token = token;
    this.response.cookie(OPERATOR_COOKIE, token, attributes);
  }

  clear(): void {
    this.token = null;
    this.response.cookie(OPERATOR_COOKIE, '', { ...attributes, maxAge: 0 });
  }

  /** Adds the session's operator to the request's log entry (requirement LG-03). */
  setLoggedOperator(operatorId: string): void {
    this.request.operatorId = operatorId;
  }
}

const attributes = { path: '/', secure: true, httpOnly: true, sameSite: 'strict' } as const;

export const CurrentConsoleCookie = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const http = context.switchToHttp();
  return new ConsoleCookie(http.getRequest<GatehouseRequest>(), http.getResponse<Response>());
});
