import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { defer, lastValueFrom, type Observable } from 'rxjs';
import { IdempotencyInterceptor } from '../http/idempotency.interceptor.js';
import type { HouseRequest } from '../http/request-context.js';
import { Audit } from './audit.service.js';

/**
 * Lets the audit log know which request is at hand, around what is done once: a refused attempt is written down when
 * everything is undone. They are one interceptor to Nest, for which each costs every request a promise chain.
 */
@Injectable()
export class AuditInterceptor implements NestInterceptor {
  constructor(
    private readonly audit: Audit,
    private readonly idempotency: IdempotencyInterceptor,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<HouseRequest>();
    const handle = (): Observable<unknown> => this.idempotency.intercept(context, next);
    if (isNoAction(request)) return handle();
    return defer(() =>
      this.audit.during(request, () => lastValueFrom(handle(), { defaultValue: undefined })),
    );
  }
}

/** The busiest routes: what pages send to log in and stay so are events, and what customers read is neither. */
function isNoAction({ caller, method, route }: HouseRequest): boolean {
  if (caller?.kind === 'publishable-key') return true;
  if (caller?.kind === 'access-token') return method === 'GET';
  return !caller && (route as { path: string }).path === '/api/v1/auth/refresh';
}
