import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { GatehouseRequest } from '../request-context.js';
import { callerHolder } from './request-memory.js';

/** Counts a request's memory toward its authenticated caller. */
@Injectable()
export class RequestMemoryGuard implements CanActivate {
  /** @throws GatehouseError `overloaded` */
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<GatehouseRequest>();
    const holder = callerHolder(request);
    if (holder !== null) request.memory?.moveTo(holder);
    return true;
  }
}
