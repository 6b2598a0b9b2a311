import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import { defer, lastValueFrom, type Observable } from 'rxjs';
import { Idempotency } from '../http/idempotency.service.js';
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
    private readonly idempotency: Idempotency,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<HouseRequest>();
    const isOnce = mayBeOnce(request);
    const isAction = mayBeAction(request);
    if (!isOnce && !isAction) return next.handle();
    const handle = () => lastValueFrom(next.handle(), { defaultValue: undefined });
    const answer = () => this.idempotency.answer(request, http.getResponse<Response>(), handle);
    return defer(() => (isAction ? this.audit.during(request, answer) : answer()));
  }
}

const mayBeOnce = ({ method, headers }: HouseRequest): boolean =>
  method === 'POST' && headers['idempotency-key'] !== undefined;

/** What pages send to log in are events, and what customers read is neither. */
const mayBeAction = ({ caller, method }: HouseRequest): boolean =>
  caller?.kind !== 'publishable-key' && !(caller?.kind === 'access-token' && method === 'GET');
