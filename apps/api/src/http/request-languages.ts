import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { defer, lastValueFrom, type Observable } from 'rxjs';
import { parseAcceptLanguage } from '@gatehouse/domain';
import type { GatehouseRequest } from './request-context.js';

/**
 * Provides the current request's languages to the services that create emails, so that no other service has to pass
 * them on.
 */
@Injectable()
export class RequestLanguages implements NestInterceptor {
  private readonly headerStore = new AsyncLocalStorage<string>();

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<GatehouseRequest>();
    const { method, caller } = request;
    const header = acceptedLanguages(request);
    // An operator's browser has the operator's language. Reads create no emails.
    if (header === undefined || method === 'GET' || caller?.kind === 'operator') return next.handle();
    return defer(() =>
      this.headerStore.run(header, () => lastValueFrom(next.handle(), { defaultValue: undefined })),
    );
  }

  /** Returns the `Accept-Language` languages in order of preference. */
  current(): string[] {
    return parseAcceptLanguage(this.headerStore.getStore());
  }
}

/**
 * Returns the `Accept-Language` header, preceded by the languages that an application has chosen for the hosted
 * sign-in page (`ui_locales`).
 */
export function acceptedLanguages({ path, query, headers }: GatehouseRequest): string | undefined {
  const header = headers['accept-language'];
  const chosen = /^\/sign-in(\/|$)/.test(path) ? query['ui_locales'] : undefined;
  if (typeof chosen !== 'string') return header;
  return [...chosen.split(' '), ...(header === undefined ? [] : [header])].join(',');
}
