import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { defer, lastValueFrom, type Observable } from 'rxjs';
import type { HouseRequest } from '../http/request-context.js';
import { Audit } from './audit.service.js';

/** Lets the audit log know which request is at hand. The outermost one: what it writes last is undone by nobody. */
@Injectable()
export class AuditInterceptor implements NestInterceptor {
  constructor(private readonly audit: Audit) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<HouseRequest>();
    if (isNoAction(request)) return next.handle();
    return defer(() =>
      this.audit.during(request, () => lastValueFrom(next.handle(), { defaultValue: undefined })),
    );
  }
}

/** The busiest routes: what pages send to log in and stay so are events, and what customers read is neither. */
function isNoAction({ caller, method, route }: HouseRequest): boolean {
  if (caller?.kind === 'publishable-key') return true;
  if (caller?.kind === 'access-token') return method === 'GET';
  return !caller && (route as { path: string }).path === '/api/v1/auth/refresh';
}
