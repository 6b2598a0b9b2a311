import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { defer, lastValueFrom, type Observable } from 'rxjs';
import type { GatehouseRequest } from '../http/request-context.js';
import { skipsInterceptors } from '../http/skip-interceptors.js';
import { AuditService } from './audit.service.js';

/**
 * Passes the current request to the audit log. Runs outside `IdempotencyInterceptor`, so that a rejected action is
 * recorded after the request's transaction has been rolled back.
 */
@Injectable()
export class AuditInterceptor implements NestInterceptor {
  constructor(private readonly audit: AuditService) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<GatehouseRequest>();
    if (!mayBeAudited(request) || skipsInterceptors(context)) return next.handle();
    const handle = () => lastValueFrom(next.handle(), { defaultValue: undefined });
    return defer(() => this.audit.runWithRequest(request, handle));
  }
}

/**
 * Returns false for requests that are never audited: reads by customers, and requests with a publishable key. Sign-ins
 * with such a key are recorded as events instead.
 */
const mayBeAudited = ({ caller, method }: GatehouseRequest): boolean =>
  caller?.kind !== 'publishable-key' && !(caller?.kind === 'access-token' && method === 'GET');
