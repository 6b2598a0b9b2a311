import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import { defer, lastValueFrom, type Observable } from 'rxjs';
import { IdempotencyService } from './idempotency.service.js';
import type { GatehouseRequest } from '../request-context.js';
import { skipsInterceptors } from '../skip-interceptors.js';

/**
 * Executes a POST with an `Idempotency-Key` only once, including everything after the guards: the pipes and the
 * handler.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(private readonly idempotency: IdempotencyService) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<GatehouseRequest>();
    if (!hasKey(request) || skipsInterceptors(context)) return next.handle();
    const handle = () => lastValueFrom(next.handle(), { defaultValue: undefined });
    return defer(() => this.idempotency.respond(request, http.getResponse<Response>(), handle));
  }
}

const hasKey = ({ method, headers }: GatehouseRequest): boolean =>
  method === 'POST' && headers['idempotency-key'] !== undefined;
