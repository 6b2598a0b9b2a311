import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { of, type Observable } from 'rxjs';

/**
 * Responds to HEAD without running the handler, for pages on which GET consumes or creates a one-time secret. Scanners
 * and link previews send HEAD before the browser opens the page.
 */
@Injectable()
export class SkipHeadInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    if (http.getRequest<Request>().method !== 'HEAD') return next.handle();
    http.getResponse<Response>().type('html').end();
    return of(undefined);
  }
}
