import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { defer, lastValueFrom, type Observable } from 'rxjs';
import type { HouseRequest } from '../http/request-context.js';
import { skipsInterceptors } from '../http/skip-interceptors.js';
import { Audit } from './audit.service.js';

/**
 * Gives the audit log the current request. Runs outside `IdempotencyInterceptor`: a rejected action is recorded after
 * the transaction of the request was rolled back.
 */
@Injectable()
export class AuditInterceptor implements NestInterceptor {
  constructor(private readonly audit: Audit) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<HouseRequest>();
    if (!mayBeAction(request) || skipsInterceptors(context)) return next.handle();
    const handle = () => lastValueFrom(next.handle(), { defaultValue: undefined });
    return defer(() => this.audit.during(request, handle));
  }
}

/** Returns false for sign-ins of pages, which are events, and for what customers read, which is neither. */
const mayBeAction = ({ caller, method }: HouseRequest): boolean =>
  caller?.kind !== 'publishable-key' && !(caller?.kind === 'access-token' && method === 'GET');
