import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Response } from 'express';
import { OPERATOR_COOKIE, operatorToken } from '@gatehouse/auth';
import type { GatehouseRequest } from './request-context.js';

/** The cookie that carries a session of the console, as it came in, and as the answer sets it. */
export class ConsoleCookie {
  /** Null when there is none. */
  token: string | null;

  constructor(
    private readonly request: GatehouseRequest,
    private readonly response: Response,
  ) {
    this.token = operatorToken(request);
  }

  /** Without an age of its own: it goes with the browser, and the house ends the session anyway. */
  set(token: string): void {
    this.token = token;
    this.response.cookie(OPERATOR_COOKIE, token, attributes);
  }

  clear(): void {
    this.token = null;
    this.response.cookie(OPERATOR_COOKIE, '', { ...attributes, maxAge: 0 });
  }

  /** Names whose session it turned out to be in the log line of the request (requirement LG-03). */
  noteOperator(operatorId: string): void {
    this.request.operatorId = operatorId;
  }
}

const attributes = { path: '/', secure: true, httpOnly: true, sameSite: 'strict' } as const;

export const CurrentConsoleCookie = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const http = context.switchToHttp();
  return new ConsoleCookie(http.getRequest<GatehouseRequest>(), http.getResponse<Response>());
});
