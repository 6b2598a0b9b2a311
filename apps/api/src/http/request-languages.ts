import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { defer, lastValueFrom, type Observable } from 'rxjs';
import { parseAcceptLanguage } from '@gatehouse/domain';
import type { GatehouseRequest } from './request-context.js';

/**
 * Provides the languages of the current request to the services that create emails, so that no other service
 * has to pass them on.
 */
@Injectable()
export class RequestLanguages implements NestInterceptor {
  private readonly headerStore = new AsyncLocalStorage<string>();

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { method, headers, caller } = context.switchToHttp().getRequest<GatehouseRequest>();
    const header = headers['accept-language'];
    // The browser of an operator has the language of the operator. Reads create no emails.
    if (header === undefined || method === 'GET' || caller?.kind === 'operator') return next.handle();
    return defer(() =>
      this.headerStore.run(header, () => lastValueFrom(next.handle(), { defaultValue: undefined })),
    );
  }

  /** Returns the languages of `Accept-Language` in order of preference. */
  current(): string[] {
    return parseAcceptLanguage(this.headerStore.getStore());
  }
}
