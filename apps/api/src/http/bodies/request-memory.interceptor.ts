import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { finalize, type Observable } from 'rxjs';
import type { GatehouseRequest } from '../request-context.js';

/** Ends processing for a request whose handler has returned or failed. Must be the outermost interceptor. */
@Injectable()
export class RequestMemoryInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { memory } = context.switchToHttp().getRequest<GatehouseRequest>();
    return memory ? next.handle().pipe(finalize(() => memory.endProcessing())) : next.handle();
  }
}
