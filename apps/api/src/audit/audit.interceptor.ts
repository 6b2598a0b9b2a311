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
    return defer(() =>
      this.audit.during(request, () => lastValueFrom(next.handle(), { defaultValue: undefined })),
    );
  }
}
